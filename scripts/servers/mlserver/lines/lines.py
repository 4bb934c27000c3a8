"""A model whose batches MLServer joins."""

import numpy
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class Lines(MLModel):
    """The logarithm of the sum of each item's first line. Fails if an item has a negative element."""

    async def predict(self, payload):
        x = NumpyCodec.decode_input(payload.inputs[0])
        if (x < 0).any():
            raise ValueError("a negative element")
        with numpy.errstate(divide="ignore"):
            y = numpy.log(x[:, 0].sum(axis=1)).astype(numpy.float32)
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", y)])
