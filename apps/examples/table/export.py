# pip install scikit-learn skl2onnx pandas
import numpy, pandas
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

random = numpy.random.RandomState(0)  # in place of your data
customers = pandas.DataFrame({
    "plan": random.choice(["free", "team", "firm"], 500),
    "city": random.choice(["Köln", "Oslo", "大阪"], 500),
    "monthly": random.uniform(5, 90, 500).astype("float32"),
    "tickets": random.randint(0, 9, 500),
})
risk = customers.tickets + 0.05 * customers.monthly - 3 * (customers.plan == "firm") - 5 + random.randn(500)
outcome = numpy.where(risk > 0, "leaves", "stays")

columns = ColumnTransformer([
    ("texts", OneHotEncoder(handle_unknown="ignore"), ["plan", "city"]),
    ("numbers", StandardScaler(), ["monthly", "tickets"]),
])
model = make_pipeline(columns, LogisticRegression()).fit(customers, outcome)

column = [None, 1]  # None: any number of rows
exported = to_onnx(
    model,
    initial_types=[
        ("plan", StringTensorType(column)),
        ("city", StringTensorType(column)),
        ("monthly", FloatTensorType(column)),
        ("tickets", Int64TensorType(column)),
    ],
    options={id(model): {"zipmap": False}},  # probabilities as a tensor
    target_opset={"": 18, "ai.onnx.ml": 3},
)
with open("customers.onnx", "wb") as file:
    file.write(exported.SerializeToString())
print(model.classes_, exported.ir_version)  # the order of the probabilities; 13 or less
