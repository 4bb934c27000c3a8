#!/usr/bin/env bash
# Guess: a LightGBM model trained with `zero_as_missing=True` treats zeros as missing after its export too, or is refused.
# What is so: onnxmltools exports it without a warning, and the file treats zero as a number: rows with zeros get other
#   probabilities. Rows without zeros, NaN among them, are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --prefer-binary \
  onnxruntime==1.32.0 onnx==1.23.2 onnxmltools==1.16.0 skl2onnx==1.20.0 lightgbm==4.7.0 scikit-learn==1.9.1
"$folder/venv/bin/python" - 2>"$folder/warnings" <<'PYTHON'
import sys
import lightgbm, numpy as np, onnxmltools, onnxruntime
from onnxmltools.convert.common.data_types import FloatTensorType

random = np.random.RandomState(0)
clean = random.randn(400, 4).astype(np.float32)
is_missing = random.rand(*clean.shape) < 0.3
labels = (np.where(is_missing[:, 0], 1.0, clean[:, 0]) + clean[:, 1] > 0).astype(int)
zeros = np.where(is_missing, 0, clean).astype(np.float32)
nans = np.where(is_missing, np.nan, clean).astype(np.float32)
model = lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, zero_as_missing=True).fit(zeros, labels)
file = onnxmltools.convert_lightgbm(model, initial_types=[("x", FloatTensorType([None, 4]))], zipmap=False, target_opset=15)
session = onnxruntime.InferenceSession(file.SerializeToString(), providers=["CPUExecutionProvider"])

def differing(items):
    apart = np.abs(session.run(None, {"x": items})[1] - model.predict_proba(items)).max(axis=1)
    return int((apart > 1e-3).sum()), float(apart.max())

print(f"lightgbm {lightgbm.__version__}, onnxmltools {onnxmltools.__version__}, onnxruntime {onnxruntime.__version__}")
found = {}
for name, items in {"zeros": zeros, "NaN": nans, "neither": clean}.items():
    found[name] = differing(items)
    print(f"rows with {name}: {found[name][0]} of 400 differ, by up to {found[name][1]:.2g}")
sys.exit(0 if found["zeros"][0] > 100 and found["NaN"][0] == 0 and found["neither"][0] == 0 else 1)
PYTHON
