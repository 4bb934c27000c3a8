"""Networks: jax2onnx and the quantizers of ONNX Runtime by themselves. Those of torch, tf2onnx and paddle2onnx are large, so that
their files are written here as they write them: their names of dims, versions, operators and outputs."""
import os
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh
from zoo import COUNT, kind

random = np.random.RandomState(11)
vi = h.make_tensor_value_info


def weights(name, *dims):
    return nh.from_array(np.round(random.randn(*dims) / 2, 3).astype(np.float32), name)


def ints(name, *values):
    return nh.from_array(np.array(values, np.int64), name)


def numbers(*dims, name="x", dtype=np.float32):
    return [{name: np.round(random.randn(*dims), 3).astype(dtype)} for _ in range(COUNT)]


def file(nodes, inputs, outputs, initializers=(), opset=17, ir=8, producer="pytorch", more=(), check=True):
    opsets = [h.make_opsetid("", opset), *(h.make_opsetid(domain, version) for domain, version in more)]
    graph = h.make_graph(nodes, "main_graph", inputs, outputs, list(initializers))
    model = h.make_model(graph, opset_imports=opsets, ir_version=ir, producer_name=producer)
    if check:
        onnx.checker.check_model(model)
    return model


def mlp(batch, producer="pytorch", opset=20, ir=10, name="x", out="y", rows=8):
    nodes = [h.make_node("Gemm", [name, "w", "b"], ["hidden"], transB=1), h.make_node("Relu", ["hidden"], ["active"]), h.make_node("Gemm", ["active", "v", "c"], [out], transB=1)]
    inits = [weights("w", 6, rows), weights("b", 6), weights("v", 3, 6), weights("c", 3)]
    return file(nodes, [vi(name, T.FLOAT, [batch, rows])], [vi(out, T.FLOAT, [batch, 3])], inits, opset, ir, producer)


@kind("torch-dynamo", "torch.onnx.export, dynamo", "a batch named by Dim: opset 20, IR 10", batches=True)
def _(folder):
    return mlp("batch"), numbers(8)


@kind("torch-dynamo-symbol", "torch.onnx.export, dynamo", "Dim.DYNAMIC: a batch named s31", batches=True)
def _(folder):
    return mlp("s31"), numbers(8)


def with_data(folder, name):
    """Writes the model and its weights, and returns no model, because it is written."""
    path = os.path.join(folder, f"{name}.onnx.data")
    if os.path.exists(path):
        os.remove(path)
    onnx.save(mlp("batch"), os.path.join(folder, f"{name}.onnx"), save_as_external_data=True, location=f"{name}.onnx.data", size_threshold=0)


@kind("torch-data", "torch.onnx.export, dynamo", "the default: weights beside even the smallest file, which are found there", batches=True)
def _(folder):
    return with_data(folder, "torch-data"), numbers(8)


@kind("torch-data-given", "torch.onnx.export, dynamo", "the same, with the weights named", beside=["torch-data-given.onnx.data"], batches=True)
def _(folder):
    return with_data(folder, "torch-data-given"), numbers(8)


@kind("torch-data-missing", "torch.onnx.export, dynamo", "the same, of which only the model's file was copied", refused=["torch-data-missing.onnx.data", "externalData"])
def _(folder):
    with_data(folder, "torch-data-missing")
    os.remove(os.path.join(folder, "torch-data-missing.onnx.data"))
    return None, []


@kind("torch-several-rows", "torch.onnx.export, dynamo", "view(-1, 3): an output of 5*batch rows", whole=["y"], batches=True)
def _(folder):
    nodes = [h.make_node("Reshape", ["x", "shape"], ["rows"], allowzero=1), h.make_node("Gemm", ["rows", "w", "b"], ["y"], transB=1)]
    inits = [ints("shape", -1, 4), weights("w", 3, 4), weights("b", 3)]
    return file(nodes, [vi("x", T.FLOAT, ["batch", 5, 4])], [vi("y", T.FLOAT, ["5*batch", 3])], inits, 20, 10), numbers(5, 4)


@kind("torchscript-axes", "torch.onnx.export, TorchScript", "dynamic_axes without names: x_dynamic_axes_1", batches=True)
def _(folder):
    model = mlp("x_dynamic_axes_1", opset=17, ir=8)
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "Gemmy_dim_0"
    return model, numbers(8)


@kind("torchscript-fixed-reshape", "torch.onnx.export, TorchScript", "a batch fixed at 1, also in a reshape", batches=True)
def _(folder):
    nodes = [h.make_node("Conv", ["x", "k"], ["maps"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]), h.make_node("Relu", ["maps"], ["active"]), h.make_node("Reshape", ["active", "shape"], ["flat"]), h.make_node("Gemm", ["flat", "w"], ["y"], transB=1)]
    inits = [weights("k", 2, 1, 3, 3), ints("shape", 1, 32), weights("w", 3, 32)]
    return file(nodes, [vi("x", T.FLOAT, [1, 1, 4, 4])], [vi("y", T.FLOAT, [1, 3])], inits), numbers(1, 4, 4)


@kind("torchscript-fixed-flatten", "torch.onnx.export, TorchScript", "a batch fixed at 1, and Flatten", batches=True)
def _(folder):
    nodes = [h.make_node("Conv", ["x", "k"], ["maps"], kernel_shape=[3, 3]), h.make_node("Flatten", ["maps"], ["flat"], axis=1), h.make_node("Gemm", ["flat", "w"], ["y"], transB=1)]
    return file(nodes, [vi("x", T.FLOAT, [1, 1, 4, 4])], [vi("y", T.FLOAT, [1, 3])], [weights("k", 2, 1, 3, 3), weights("w", 3, 8)]), numbers(1, 4, 4)


@kind("torchscript-fixed-4", "torch.onnx.export, TorchScript", "a batch fixed at 4", batches=True, copies=4)
def _(folder):
    return mlp(4, opset=17, ir=8), numbers(8)


def lstm(batch):
    state = [] if batch == "batch" else ["", "h0", "c0"]
    nodes = [h.make_node("LSTM", ["x", "w", "r", "b", *state], ["all", "hn", "cn"], hidden_size=3), h.make_node("Squeeze", ["hn", "zero"], ["y"])]
    zeros = [nh.from_array(np.zeros((1, 1, 3), np.float32), name) for name in state[1:]]
    inits = [weights("w", 1, 12, 4), weights("r", 1, 12, 3), weights("b", 1, 24), ints("zero", 0), *zeros]
    return file(nodes, [vi("x", T.FLOAT, ["steps", batch, 4])], [vi("y", T.FLOAT, [batch, 3])], inits)


@kind("torchscript-lstm", "torch.onnx.export, TorchScript", "an LSTM with the batch on axis 1", options={"batchAxis": {"x": 1}}, feeds={"x": 1}, batches=True)
def _(folder):
    return lstm("batch"), numbers(5, 4)


@kind("torchscript-fixed-lstm", "torch.onnx.export, TorchScript", "an LSTM with the batch fixed at 1 on axis 1, also in its first state", options={"batchAxis": {"x": 1}}, feeds={"x": 1})
def _(folder):
    return lstm(1), numbers(5, 4)


def detector(batch):
    """Images of 6 places (x1, y1, x2, y2, sign); where the sign is 7.25 there is an object."""
    inits = [ints("zero", 0), ints("four", 4), ints("five", 5), ints("last", 2), ints("pick", 0, 2), ints("top", 100), *(nh.from_array(np.array(value, np.float32), name) for name, value in {"iou": [0.9], "half": [0.5], "sign": 7.25, "steep": -100, "one": 1}.items())]
    nodes = [
        h.make_node("Slice", ["x", "four", "five", "last"], ["signs"]), h.make_node("Sub", ["signs", "sign"], ["off"]), h.make_node("Abs", ["off"], ["far"]),
        h.make_node("Mul", ["far", "steep"], ["less"]), h.make_node("Add", ["less", "one"], ["score"]), h.make_node("Slice", ["x", "zero", "four", "last"], ["boxes"]),
        h.make_node("Transpose", ["score"], ["scores"], perm=[0, 2, 1]), h.make_node("NonMaxSuppression", ["boxes", "scores", "top", "iou", "half"], ["selected"]),
        h.make_node("Gather", ["selected", "pick"], ["where"], axis=1), h.make_node("GatherND", ["x", "where"], ["detections"]),
    ]
    return file(nodes, [vi("x", T.FLOAT, [batch, 6, 5])], [vi("detections", T.FLOAT, ["num_detections", 5])], inits)


def images():
    found = []
    for index in range(COUNT):
        image = np.zeros((6, 5), np.float32)
        for place in range(6):
            left = np.float32(place * 10 + index / 100)
            image[place] = [left, left, left + 5, left + 5, 7.25 if place < index % 4 else 0.1]
        found.append({"x": image})
    return found


@kind("detector", "torchvision, by torch.onnx.export", "NonMaxSuppression: as many rows as objects in all images of the run", whole=["detections"], batches=False)
def _(folder):
    return detector("batch"), images()


@kind("detector-fixed", "torchvision, by torch.onnx.export", "the same, with a batch fixed at 1", whole=["detections"], batches=False)
def _(folder):
    return detector(1), images()


@kind("detector-whole", "torchvision, by torch.onnx.export", "the same with batchAxis null: the user says that an output has no batch", whole=["detections"], options={"batchAxis": {"detections": None}}, batches=False)
def _(folder):
    return detector("batch"), images()


@kind("tf2onnx", "tf2onnx", "a batch named unk__7, and another name in the output", batches=True)
def _(folder):
    model = mlp("unk__7", producer="tf2onnx", opset=15, ir=8, name="dense_input", out="dense_1")
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "unk__8"
    return model, numbers(8, name="dense_input")


@kind("paddle", "paddle2onnx", "a batch named DynamicDimension.0", batches=True)
def _(folder):
    return mlp("DynamicDimension.0", producer="PaddlePaddle", opset=11, ir=7), numbers(8)


@kind("paddle-minus-one", "paddle2onnx", "a batch of -1", batches=True)
def _(folder):
    return mlp(-1, producer="PaddlePaddle", opset=11, ir=7), numbers(8)


@kind("jax", "jax2onnx", "a batch named B", batches=True)
def _(folder):
    import jax.numpy as jnp
    from jax2onnx import to_onnx
    w = jnp.asarray(np.round(random.randn(8, 3), 3).astype(np.float32))
    model = to_onnx(lambda x: jnp.tanh(x @ w), [("B", 8)], opset=21)
    model.ir_version = min(model.ir_version, 10)
    name = model.graph.input[0].name
    return model, numbers(8, name=name)


@kind("optimum-encoder", "optimum, by torch.onnx.export", "batch_size and sequence_length, ids and a mask; texts of one length", batches=True)
def _(folder):
    nodes = [
        h.make_node("Gather", ["table", "input_ids"], ["words"]), h.make_node("Cast", ["attention_mask"], ["share"], to=T.FLOAT), h.make_node("Unsqueeze", ["share", "last"], ["wide"]),
        h.make_node("Mul", ["words", "wide"], ["kept"]), h.make_node("MatMul", ["kept", "w"], ["mixed"]), h.make_node("Transpose", ["kept"], ["turned"], perm=[0, 2, 1]),
        h.make_node("MatMul", ["mixed", "turned"], ["scores"]), h.make_node("Softmax", ["scores"], ["shares"], axis=-1), h.make_node("MatMul", ["shares", "kept"], ["last_hidden_state"]),
    ]
    dims = ["batch_size", "sequence_length"]
    inits = [weights("table", 20, 4), weights("w", 4, 4), ints("last", -1)]
    model = file(nodes, [vi("input_ids", T.INT64, dims), vi("attention_mask", T.INT64, dims)], [vi("last_hidden_state", T.FLOAT, [*dims, 4])], inits, 14, 7)
    return model, [{"input_ids": random.randint(0, 20, 5).astype(np.int64), "attention_mask": np.ones(5, np.int64)} for _ in range(COUNT)]


def saved(folder, model):
    path = os.path.join(folder, "float.tmp")
    onnx.save(model, path)
    return path


def quantized(folder, quantize):
    source, target = saved(folder, mlp("batch", opset=17, ir=8)), os.path.join(folder, "quantized.tmp")
    quantize(source, target)
    model = onnx.load(target)
    os.remove(source), os.remove(target)
    return model


@kind("quantized-static", "onnxruntime.quantization", "QDQ: QuantizeLinear and DequantizeLinear with fixed scales", batches=True, tolerance=0.02)
def _(folder):
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = [{"x": item["x"][None]} for item in numbers(8)]

        def get_next(self):
            return self.left.pop() if self.left else None

    return quantized(folder, lambda source, target: quantize_static(source, target, Reader(), quant_format=QuantFormat.QDQ)), numbers(8)


@kind("quantized-dynamic", "onnxruntime.quantization", "dynamic: the scale comes from all rows of the run, so that items run one by one", tolerance=0.02, batches=False)
def _(folder):
    from onnxruntime.quantization import quantize_dynamic
    return quantized(folder, quantize_dynamic), numbers(8)


@kind("quantized-dynamic-fixed", "onnxruntime.quantization", "the same, with a batch fixed at 1", tolerance=0.02, batches=False)
def _(folder):
    from onnxruntime.quantization import quantize_dynamic
    model = quantized(folder, quantize_dynamic)
    for value in (model.graph.input[0], model.graph.output[0]):
        value.type.tensor_type.shape.dim[0].dim_value = 1
    del model.graph.value_info[:]
    return model, numbers(8)


@kind("matmul-nbits", "onnxruntime.quantization", "weights of 4 bits: com.microsoft MatMulNBits", batches=True)
def _(folder):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    model = file([h.make_node("MatMul", ["x", "w"], ["y"])], [vi("x", T.FLOAT, ["batch", 32])], [vi("y", T.FLOAT, ["batch", 3])], [weights("w", 32, 3)])
    quantizer = MatMulNBitsQuantizer(model, block_size=32, is_symmetric=True)
    quantizer.process()
    return quantizer.model.model, numbers(32)


@kind("float16", "onnxconverter-common", "float16 throughout", batches=True, tolerance=0.005)
def _(folder):
    nodes = [h.make_node("MatMul", ["x", "w"], ["hidden"]), h.make_node("Relu", ["hidden"], ["y"])]
    w = nh.from_array(np.round(random.randn(8, 3), 3).astype(np.float16), "w")
    return file(nodes, [vi("x", T.FLOAT16, ["batch", 8])], [vi("y", T.FLOAT16, ["batch", 3])], [w]), numbers(8, dtype=np.float16)


@kind("flags", "torch.onnx.export, dynamo", "bool and int64 in and out", batches=True)
def _(folder):
    nodes = [h.make_node("Where", ["flag", "id", "other"], ["chosen"]), h.make_node("Equal", ["chosen", "id"], ["same"])]
    inputs = [vi("flag", T.BOOL, ["batch", 4]), vi("id", T.INT64, ["batch", 4])]
    model = file(nodes, inputs, [vi("chosen", T.INT64, ["batch", 4]), vi("same", T.BOOL, ["batch", 4])], [ints("other", 9, 8, 7, 6)], 20, 10)
    return model, [{"flag": random.rand(4) > 0.5, "id": random.randint(0, 2**40, 4).astype(np.int64)} for _ in range(COUNT)]


@kind("strings", "onnx", "strings in and out", batches=True)
def _(folder):
    model = file([h.make_node("StringConcat", ["x", "end"], ["y"])], [vi("x", T.STRING, ["N", 2])], [vi("y", T.STRING, ["N", 2])], [nh.from_array(np.array([" and so on"], object), "end")], 20, 10, "onnx")
    return model, [{"x": np.array([f"item {index}", "naïve 日本"], object)} for index in range(COUNT)]


@kind("constants-beside", "torch.onnx.export, dynamo", "rows, and a constant beside them", whole=["classes"], batches=True)
def _(folder):
    nodes = [h.make_node("Mul", ["x", "x"], ["y"]), h.make_node("Identity", ["c"], ["classes"])]
    return file(nodes, [vi("x", T.FLOAT, ["batch", 4])], [vi("y", T.FLOAT, ["batch", 4]), vi("classes", T.FLOAT, [3])], [weights("c", 3)], 20, 10), numbers(4)


@kind("mean-beside", "torch.onnx.export, dynamo", "rows, and a mean over the batch beside them: items run one by one", whole=["mean"], batches=False)
def _(folder):
    nodes = [h.make_node("Mul", ["x", "x"], ["y"]), h.make_node("ReduceMean", ["x", "zero"], ["mean"], keepdims=0)]
    return file(nodes, [vi("x", T.FLOAT, ["batch", 4])], [vi("y", T.FLOAT, ["batch", 4]), vi("mean", T.FLOAT, [4])], [ints("zero", 0)], 20, 10), numbers(4)


@kind("newest-ir", "onnx 1.23.2", "IR 14 with an opset that is older", batches=True)
def _(folder):
    return mlp("N", "onnx", opset=17, ir=14), numbers(8)


@kind("newest", "onnx 1.23.2", "IR 14 and opset 28, as onnx.helper writes them; nothing newer is used", batches=True)
def _(folder):
    return mlp("N", "onnx", opset=28, ir=14), numbers(8)


@kind("optional", "onnx", "an optional output beside rows", refused=["maybe", "expected", "got", "outputs"])
def _(folder):
    return with_optional(), []


@kind("optional-left-out", "onnx", "the same file, of which only the rows are read", options={"outputs": ["y"]}, batches=True)
def _(folder):
    return with_optional(), numbers(4)


def with_optional():
    maybe = h.make_value_info("maybe", h.make_optional_type_proto(h.make_tensor_type_proto(T.FLOAT, ["batch", 4])))
    nodes = [h.make_node("Mul", ["x", "x"], ["y"]), h.make_node("Optional", ["x"], ["maybe"])]
    return file(nodes, [vi("x", T.FLOAT, ["batch", 4])], [vi("y", T.FLOAT, ["batch", 4]), maybe], opset=18, ir=8)
