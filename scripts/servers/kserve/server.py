"""Serves an ONNX model with KServe: python server.py --http_port PORT --model_name NAME --model_file FILE"""

import argparse

import kserve
import numpy
import onnxruntime

DATATYPES = {"tensor(float)": "FP32", "tensor(int64)": "INT64"}


def describe(tensors):
    """Describes inputs or outputs in the words of the Open Inference Protocol, where -1 is any size."""
    return [
        {
            "name": tensor.name,
            "datatype": DATATYPES[tensor.type],
            "shape": [size if isinstance(size, int) else -1 for size in tensor.shape],
        }
        for tensor in tensors
    ]


class OnnxModel(kserve.Model):
    """A predictor that runs each request as one batch."""

    def __init__(self, name, file):
        super().__init__(name)
        self.session = onnxruntime.InferenceSession(file)
        self.ready = True

    def get_input_types(self):
        return describe(self.session.get_inputs())

    def get_output_types(self):
        return describe(self.session.get_outputs())

    def predict(self, payload, headers=None, response_headers=None):
        feeds = {tensor.name: tensor.as_numpy() for tensor in payload.inputs}
        results = self.session.run(None, feeds)
        outputs = [
            kserve.InferOutput(
                name=described["name"], datatype=described["datatype"], shape=list(result.shape), data=result
            )
            for described, result in zip(self.get_output_types(), results)
        ]
        return kserve.InferResponse(
            response_id=payload.id,
            model_name=self.name,
            infer_outputs=outputs,
            use_binary_outputs=payload.use_binary_outputs,
            requested_outputs=payload.request_outputs,
        )


class Lines(kserve.Model):
    """The logarithm of the sum of each item's first line. Fails if an item has a negative element."""

    def __init__(self):
        super().__init__("lines")
        self.ready = True

    def get_input_types(self):
        return [{"name": "x", "datatype": "FP32", "shape": [-1, -1, -1]}]

    def get_output_types(self):
        return [{"name": "y", "datatype": "FP32", "shape": [-1]}]

    def predict(self, payload, headers=None, response_headers=None):
        x = payload.inputs[0].as_numpy()
        if (x < 0).any():
            raise ValueError("a negative element")
        with numpy.errstate(divide="ignore"):
            y = numpy.log(x[:, 0].sum(axis=1)).astype(numpy.float32)
        return kserve.InferResponse(
            response_id=payload.id,
            model_name=self.name,
            infer_outputs=[kserve.InferOutput(name="y", datatype="FP32", shape=list(y.shape), data=y)],
            use_binary_outputs=payload.use_binary_outputs,
            requested_outputs=payload.request_outputs,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(parents=[kserve.model_server.parser], conflict_handler="resolve")
    parser.add_argument("--model_file", required=True)
    options, _ = parser.parse_known_args()
    kserve.ModelServer(enable_grpc=False).start([OnnxModel(options.model_name, options.model_file), Lines()])
