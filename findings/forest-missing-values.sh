#!/usr/bin/env bash
# Guess: a random forest that was trained with missing values (scikit-learn 1.4 or later) is exported with the side that a
#   missing value takes in each split, or the export is refused.
# What is so: skl2onnx exports it without a warning and without these sides (`nodes_missing_value_tracks_true` is all zeros), so
#   rows with a missing value get other probabilities and labels. Rows without one are right, so a test on clean rows passes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --prefer-binary \
  onnxruntime==1.32.0 onnx==1.23.2 skl2onnx==1.20.0 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import numpy as np, onnxruntime, sklearn, skl2onnx
from sklearn.ensemble import RandomForestClassifier

random = np.random.RandomState(0)
clean = random.randn(400, 4).astype(np.float32)
is_missing = random.rand(*clean.shape) < 0.3
rows = np.where(is_missing, np.nan, clean).astype(np.float32)
labels = (np.where(is_missing[:, 0], 1.0, clean[:, 0]) + clean[:, 1] > 0).astype(int)
forest = RandomForestClassifier(20, max_depth=5, random_state=0).fit(rows, labels)
model = skl2onnx.to_onnx(forest, rows[:1], options={id(forest): {"zipmap": False}}, target_opset={"": 18, "ai.onnx.ml": 3})
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

def differing(items):
    label, probabilities = session.run(None, {"X": items})
    apart = np.abs(probabilities - forest.predict_proba(items)).max(axis=1)
    return int((apart > 1e-3).sum()), int((label != forest.predict(items)).sum()), round(float(apart.max()), 3)

sides = [set(a.ints) for n in model.graph.node for a in n.attribute if a.name == "nodes_missing_value_tracks_true"]
missing, without = differing(rows), differing(clean)
print(f"scikit-learn {sklearn.__version__}, skl2onnx {skl2onnx.__version__}, onnxruntime {onnxruntime.__version__}")
print(f"sides of missing values in the file: {sides}")
print(f"of 400 rows with missing values: {missing[0]} have other probabilities (by up to {missing[2]}), {missing[1]} another label")
print(f"of 400 rows without: {without[0]} and {without[1]}")
sys.exit(0 if missing[0] > 100 and missing[1] > 20 and without[:2] == (0, 0) else 1)
PYTHON
