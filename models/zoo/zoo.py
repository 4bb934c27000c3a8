"""What every kind of the zoo has: a name, the exporter, a model, items, and the answers of onnxruntime to each item alone."""
import json, os
import numpy as np, onnxruntime

COUNT = 16
KINDS = []


def kind(name, exporter, what, **row):
    """Adds a kind. The function returns a model and COUNT items: dicts of arrays without the batch axis.

    whole: outputs that each item gets whole, as the model gives them for it alone
    axes: the batch axes of outputs other than 0
    options: options of createBatchedModel that the kind needs, which must be few
    batches: whether items share runs; False: one by one. Left out where it depends on the provider
    refused: what the error says, in this order; the kind loads nowhere
    tolerance: as a share of the largest number of an output
    feeds: the batch axes of inputs other than 0
    copies: the batch that the file is fixed at
    """
    def add(make):
        KINDS.append({"name": name, "exporter": exporter, "what": what, "make": make, "row": row})
        return make
    return add


def plain(value):
    """An array as JSON: short numbers, which give the same float32."""
    value = np.asarray(value)
    type_ = value.dtype.name if value.dtype.kind in "fiub" else "string"
    flat = value.ravel().tolist()
    if type_ in ("float32", "float16"):
        flat = [float(f"{number:.7g}") for number in flat]
    if type_ == "bool":
        flat = [int(flag) for flag in flat]
    return {"type": type_, "dims": list(value.shape), "values": flat}


def answers(model, items, row, folder):
    """The answers to each item alone, as an item has them: without the batch axis."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(os.path.join(folder, model), options, providers=["CPUExecutionProvider"])
    names = row.get("options", {}).get("outputs") or [output.name for output in session.get_outputs()]
    copies = row.get("copies", 1)
    found = []
    for item in items:
        feeds = {}
        for name, value in item.items():
            axis = row.get("feeds", {}).get(name, 0)
            feeds[name] = np.repeat(np.expand_dims(value, axis), copies, axis)
        outputs = [output[:1] if copies > 1 else output for output in session.run(names, feeds)]
        own = {}
        for name, output in zip(names, outputs):
            axis = None if name in row.get("whole", []) else row.get("axes", {}).get(name, 0)
            own[name] = plain(output if axis is None else np.squeeze(output, axis))
        found.append(own)
    return found


def write(folder):
    os.makedirs(folder, exist_ok=True)
    rows = []
    for entry in KINDS:
        row = entry["row"]
        file = f"{entry['name']}.onnx"
        try:
            model, items = entry["make"](folder)
        except ImportError as missing:
            print(f"{entry['name']}: left out, {missing}")
            continue
        if model is not None:
            data = model if isinstance(model, bytes) else model.SerializeToString()
            with open(os.path.join(folder, file), "wb") as opened:
                opened.write(data)
        items = items[:COUNT]
        asked = {"items": [], "answers": []} if "refused" in row else {
            "items": [{name: plain(value) for name, value in item.items()} for item in items],
            "answers": answers(file, items, row, folder),
        }
        kept = {key: value for key, value in row.items() if key in ("options", "batches", "refused", "tolerance", "beside")}
        rows.append({"name": entry["name"], "exporter": entry["exporter"], "what": entry["what"], "file": file, **kept, **asked})
    with open(os.path.join(folder, "zoo.json"), "w") as opened:
        lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
        opened.write(f"[\n{lines}\n]\n")
    print(f"{len(rows)} kinds in {folder}")
