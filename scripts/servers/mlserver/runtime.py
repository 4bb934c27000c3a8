"""A runtime of MLServer for ONNX models."""

import onnxruntime
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class OnnxModel(MLModel):
    """Runs each request as one batch."""

    async def load(self):
        self.session = onnxruntime.InferenceSession(self.settings.parameters.uri)
        return True

    async def predict(self, payload):
        feeds = {tensor.name: NumpyCodec.decode_input(tensor) for tensor in payload.inputs}
        results = self.session.run(None, feeds)
        names = [output.name for output in self.session.get_outputs()]
        outputs = [NumpyCodec.encode_output(name, result) for name, result in zip(names, results)]
        return InferenceResponse(model_name=self.name, outputs=outputs)
