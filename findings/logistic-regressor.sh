#!/usr/bin/env bash
# Guess: an XGBRegressor with the objective "reg:logistic" answers between 0 and 1 after its export too, as the exports of
#   "reg:gamma" and "count:poisson" answer after their exponential.
# What is so: onnxmltools writes the last step of some objectives and not of this one, without a warning. The file answers the sum
#   of the trees, and adds the intercept to it as the probability that it is, so that a logistic function after it does not
#   give the predictions either. XGBClassifier ("binary:logistic") of the same trees is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --prefer-binary \
  onnxruntime==1.32.0 onnx==1.23.2 onnxmltools==1.16.0 skl2onnx==1.20.0 xgboost-cpu==3.2.0 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import numpy as np, onnxmltools, onnxruntime, xgboost
from onnxmltools.convert.common.data_types import FloatTensorType

random = np.random.RandomState(0)
rows = random.randn(200, 4).astype(np.float32)
targets = {
    "reg:logistic": (rows[:, 0] + rows[:, 1] > 0).astype(float),
    "reg:gamma": np.abs(rows[:, 0]) + 1,
    "count:poisson": np.round(np.abs(rows[:, 0]) * 3),
}
print(f"xgboost {xgboost.__version__}, onnxmltools {onnxmltools.__version__}, onnxruntime {onnxruntime.__version__}")
apart, both = {}, {}
for objective, target in targets.items():
    model = xgboost.XGBRegressor(n_estimators=20, max_depth=3, objective=objective).fit(rows, target)
    file = onnxmltools.convert_xgboost(model, initial_types=[("x", FloatTensorType([None, 4]))], target_opset=15)
    session = onnxruntime.InferenceSession(file.SerializeToString(), providers=["CPUExecutionProvider"])
    answer, expected = session.run(None, {"x": rows})[0].ravel(), model.predict(rows)
    apart[objective] = float(np.abs(answer - expected).max())
    both[objective] = (answer, expected)
    print(f"{objective}: XGBoost {expected[0]:.4f}, the exported file {answer[0]:.4f}; of 200 rows apart by up to {apart[objective]:.2g}")
answer, expected = both["reg:logistic"]
after = float(np.abs(1 / (1 + np.exp(-answer)) - expected).max())
print(f"reg:logistic, the logistic function after the file's answer: apart by up to {after:.2g}")
is_so = apart["reg:logistic"] > 1 and after > 0.01 and apart["reg:gamma"] < 1e-4 and apart["count:poisson"] < 1e-4
classifier = xgboost.XGBClassifier(n_estimators=20, max_depth=3).fit(rows, targets["reg:logistic"].astype(int))
file = onnxmltools.convert_xgboost(classifier, initial_types=[("x", FloatTensorType([None, 4]))], target_opset=15)
session = onnxruntime.InferenceSession(file.SerializeToString(), providers=["CPUExecutionProvider"])
right = float(np.abs(session.run(None, {"x": rows})[1] - classifier.predict_proba(rows)).max())
print(f"XGBClassifier: apart by up to {right:.2g}")
sys.exit(0 if is_so and right < 1e-5 else 1)
PYTHON
