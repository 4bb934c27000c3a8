#!/usr/bin/env bash
# Guess: a pipeline that ends with LinearSVC is exported by to_onnx() as the classifier alone is, and as one with LogisticRegression.
# What is so: skl2onnx gives the last step the option "zipmap" of its own accord, and then refuses it, since LinearSVC has no
#   such option. Any option that is named for the classifier itself, even one at its default, keeps the export from it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --prefer-binary \
  onnxruntime==1.32.0 onnx==1.23.2 skl2onnx==1.20.0 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import numpy as np, onnxruntime, sklearn, skl2onnx
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

random = np.random.RandomState(0)
rows = random.randn(80, 4).astype(np.float32)
labels = (rows[:, 0] > 0).astype(int)

def exported(model, options=None):
    """How many of 80 labels of the exported file are those of scikit-learn, or the error."""
    try:
        file = skl2onnx.to_onnx(model, rows[:1], target_opset=18, options=options)
    except NameError as error:
        return str(error)
    session = onnxruntime.InferenceSession(file.SerializeToString(), providers=["CPUExecutionProvider"])
    return int((session.run(None, {"X": rows})[0] == model.predict(rows)).sum())

alone = LinearSVC().fit(rows, labels)
pipeline = make_pipeline(StandardScaler(), LinearSVC()).fit(rows, labels)
logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, labels)
found = {
    "LinearSVC alone": exported(alone),
    "a pipeline with LogisticRegression": exported(logistic),
    "a pipeline with LinearSVC": exported(pipeline),
    "the same with an option at its default": exported(pipeline, {id(pipeline[-1]): {"raw_scores": False}}),
}
print(f"scikit-learn {sklearn.__version__}, skl2onnx {skl2onnx.__version__}, onnxruntime {onnxruntime.__version__}")
for name, outcome in found.items():
    print(f"{name}: {outcome}" + (" of 80 labels are equal" if isinstance(outcome, int) else ""))
refused = found.pop("a pipeline with LinearSVC")
is_so = isinstance(refused, str) and "zipmap" in refused and set(found.values()) == {80}
sys.exit(0 if is_so else 1)
PYTHON
