"""Models of tables: scikit-learn, LightGBM, XGBoost, CatBoost, each by its own exporter."""
import os
import numpy as np, onnx
from zoo import COUNT, kind

random = np.random.RandomState(7)
ROWS = np.round(random.randn(240, 4), 3).astype(np.float32)
TWO = (ROWS[:, 0] + ROWS[:, 1] > 0).astype(int)
THREE = np.digitize(ROWS[:, 0] + ROWS[:, 2], [-0.6, 0.6])
NUMBER = ROWS[:, 0] * 2 + ROWS[:, 1] ** 2
OPSETS = {"": 18, "ai.onnx.ml": 3}
ITEMS = [{"X": row} for row in ROWS[:COUNT]]


def skl(model, sample=ROWS[:1], zipmap=False, opsets=OPSETS):
    from skl2onnx import to_onnx
    options = {id(model): {"zipmap": zipmap}} if hasattr(model, "classes_") else None
    return to_onnx(model, sample, options=options, target_opset=opsets)


@kind("skl-classifier", "skl2onnx", "a classifier without ZipMap: an unnamed batch, a label and probabilities", batches=True)
def _(folder):
    from sklearn.linear_model import LogisticRegression
    return skl(LogisticRegression().fit(ROWS, THREE)), ITEMS


@kind("skl-labels", "skl2onnx", "labels that are strings", batches=True)
def _(folder):
    from sklearn.ensemble import GradientBoostingClassifier
    labels = np.array(["cat", "dog", "eel"])[THREE]
    return skl(GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0).fit(ROWS, labels)), ITEMS


@kind("skl-zipmap", "skl2onnx", "a classifier with ZipMap, as it is exported by default", refused=["output_probability", "expected", "got", "zipmap"])
def _(folder):
    from sklearn.linear_model import LogisticRegression
    return skl(LogisticRegression().fit(ROWS, TWO), zipmap=True), []


@kind("skl-zipmap-label", "skl2onnx", "the same file, of which only the label is read", options={"outputs": ["output_label"]}, batches=True)
def _(folder):
    from sklearn.linear_model import LogisticRegression
    return skl(LogisticRegression().fit(ROWS, TWO), zipmap=True), ITEMS


@kind("skl-regressor", "skl2onnx", "a forest that gives a number", batches=True)
def _(folder):
    from sklearn.ensemble import RandomForestRegressor
    return skl(RandomForestRegressor(4, max_depth=4, random_state=0).fit(ROWS, NUMBER)), ITEMS


@kind("skl-float64", "skl2onnx", "a pipeline in float64", batches=True)
def _(folder):
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    rows = ROWS.astype(np.float64)
    return skl(make_pipeline(StandardScaler(), PCA(2)).fit(rows), rows[:1]), [{"X": row} for row in rows[:COUNT]]


@kind("skl-columns", "skl2onnx", "a pipeline of columns of text and numbers, an input for each", batches=True)
def _(folder):
    import pandas
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
    plans, cities = np.array(["free", "team", "firm"]), np.array(["Köln", "Oslo", "大阪"])
    table = pandas.DataFrame({
        "plan": plans[THREE], "city": cities[np.arange(240) % 3],
        "monthly": ROWS[:, 0] * 10 + 30, "tickets": (np.arange(240) * 7 % 5).astype(np.int64),
    })
    table["monthly"] = table["monthly"].astype(np.float32).round(2)
    columns = ColumnTransformer([("text", OneHotEncoder(handle_unknown="ignore"), ["plan", "city"]), ("number", StandardScaler(), ["monthly", "tickets"])])
    labels = np.where(TWO == 1, "leaves", "stays")
    model = make_pipeline(columns, LogisticRegression()).fit(table, labels)
    types = [("plan", StringTensorType([None, 1])), ("city", StringTensorType([None, 1])), ("monthly", FloatTensorType([None, 1])), ("tickets", Int64TensorType([None, 1]))]
    exported = to_onnx(model, initial_types=types, options={id(model): {"zipmap": False}}, target_opset=OPSETS)
    items = [{"plan": np.array([row.plan], object), "city": np.array([row.city], object), "monthly": np.float32([row.monthly]), "tickets": np.int64([row.tickets])} for row in table.head(COUNT).itertuples()]
    return exported, items


@kind("skl-rare-class", "skl2onnx", "a forest with a rare class: a label that is alike for all but few, probabilities that are not", batches=True)
def _(folder):
    from sklearn.ensemble import RandomForestClassifier
    labels = np.zeros(240, int)
    labels[100:104] = 1
    return skl(RandomForestClassifier(6, max_depth=4, random_state=0).fit(ROWS, labels)), [{"X": row} for row in ROWS[93 : 93 + COUNT]]


@kind("skl-outlier", "skl2onnx", "a label of [batch, 1]", batches=True)
def _(folder):
    from sklearn.ensemble import IsolationForest
    return skl(IsolationForest(n_estimators=4, max_samples=16, random_state=0).fit(ROWS), opsets={"": 15, "ai.onnx.ml": 3}), ITEMS


@kind("skl-neighbours", "skl2onnx", "distances to stored rows, and a choice among them", batches=True)
def _(folder):
    from sklearn.neighbors import KNeighborsRegressor
    return skl(KNeighborsRegressor(3).fit(ROWS[:40], NUMBER[:40])), ITEMS


def of_onnxmltools(convert, model, name="x", **more):
    from onnxmltools.convert.common.data_types import FloatTensorType
    return convert(model, initial_types=[(name, FloatTensorType([None, 4]))], target_opset=15, **more)


@kind("lightgbm-classifier", "onnxmltools, LightGBM", "zipmap=False: the label is declared [1] and has a row for each item", batches=True)
def _(folder):
    import lightgbm
    from onnxmltools import convert_lightgbm
    model = lightgbm.LGBMClassifier(n_estimators=4, num_leaves=4, verbose=-1, n_jobs=1).fit(ROWS, THREE)
    return of_onnxmltools(convert_lightgbm, model, zipmap=False), [{"x": row} for row in ROWS[:COUNT]]


@kind("lightgbm-zipmap", "onnxmltools, LightGBM", "the default: probabilities in a sequence of maps", refused=["probabilities", "expected", "got", "zipmap"])
def _(folder):
    import lightgbm
    from onnxmltools import convert_lightgbm
    model = lightgbm.LGBMClassifier(n_estimators=2, num_leaves=3, verbose=-1, n_jobs=1).fit(ROWS, TWO)
    return of_onnxmltools(convert_lightgbm, model), []


@kind("lightgbm-regressor", "onnxmltools, LightGBM", "a number", batches=True)
def _(folder):
    import lightgbm
    from onnxmltools import convert_lightgbm
    model = lightgbm.LGBMRegressor(n_estimators=4, num_leaves=4, verbose=-1, n_jobs=1).fit(ROWS, NUMBER)
    return of_onnxmltools(convert_lightgbm, model), [{"x": row} for row in ROWS[:COUNT]]


@kind("xgboost-classifier", "onnxmltools, XGBoost", "an unnamed batch, plain tensors", batches=True)
def _(folder):
    import xgboost
    from onnxmltools import convert_xgboost
    model = xgboost.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1).fit(ROWS, TWO)
    return of_onnxmltools(convert_xgboost, model), [{"x": row} for row in ROWS[:COUNT]]


@kind("xgboost-regressor", "onnxmltools, XGBoost", "a number", batches=True)
def _(folder):
    import xgboost
    from onnxmltools import convert_xgboost
    model = xgboost.XGBRegressor(n_estimators=4, max_depth=2, n_jobs=1).fit(ROWS, NUMBER)
    return of_onnxmltools(convert_xgboost, model), [{"x": row} for row in ROWS[:COUNT]]


def of_catboost(folder, model):
    path = os.path.join(folder, "catboost.tmp")
    model.save_model(path, format="onnx")
    exported = onnx.load(path)
    os.remove(path)
    return exported


@kind("catboost-regressor", "CatBoost", "IR 3, opset of ai.onnx.ml alone, a batch named N", batches=True)
def _(folder):
    import catboost
    model = catboost.CatBoostRegressor(iterations=4, depth=2, verbose=0, allow_writing_files=False, random_seed=0).fit(ROWS, NUMBER)
    return of_catboost(folder, model), [{"features": row} for row in ROWS[:COUNT]]


@kind("catboost-classifier", "CatBoost", "the default: probabilities in a sequence of maps", refused=["probabilities", "expected", "got", "outputs"])
def _(folder):
    import catboost
    model = catboost.CatBoostClassifier(iterations=2, depth=2, verbose=0, allow_writing_files=False, random_seed=0).fit(ROWS, TWO)
    return of_catboost(folder, model), []


@kind("catboost-label", "CatBoost", "the same file, of which only the label is read", options={"outputs": ["label"]}, batches=True)
def _(folder):
    import catboost
    model = catboost.CatBoostClassifier(iterations=4, depth=2, verbose=0, allow_writing_files=False, random_seed=0).fit(ROWS, np.array(["no", "yes"])[TWO])
    return of_catboost(folder, model), [{"features": row} for row in ROWS[:COUNT]]
