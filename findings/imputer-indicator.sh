#!/usr/bin/env bash
# Guess: SimpleImputer(add_indicator=True) is exported with its columns that say which values were missing, or refused.
# What is so: skl2onnx exports only the filled columns, without a warning. The file has 4 outputs where transform() has 7.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --prefer-binary \
  onnxruntime==1.32.0 onnx==1.23.2 skl2onnx==1.20.0 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import numpy as np, onnxruntime, sklearn, skl2onnx
from sklearn.impute import SimpleImputer

nan = np.nan
rows = np.array([[1, nan, 3, 4], [nan, 6, 7, 8], [9, 10, nan, 12], [13, 14, 15, 16]], dtype=np.float32)
imputer = SimpleImputer(add_indicator=True).fit(rows)
model = skl2onnx.to_onnx(imputer, rows[:1], target_opset={"": 18, "ai.onnx.ml": 3})
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(answer,) = session.run(None, {"X": rows})
expected = imputer.transform(rows)
print(f"scikit-learn {sklearn.__version__}, skl2onnx {skl2onnx.__version__}, onnxruntime {onnxruntime.__version__}")
print(f"transform() of scikit-learn: {expected.shape}, first row {expected[0].tolist()}")
print(f"the exported file: {answer.shape}, first row {answer[0].tolist()}")
sys.exit(0 if expected.shape == (4, 7) and answer.shape == (4, 4) and np.allclose(answer, expected[:, :4]) else 1)
PYTHON
