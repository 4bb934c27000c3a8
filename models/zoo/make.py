"""Makes the zoo by the exporters: `python make.py FOLDER` writes each kind's file, and zoo.json with items and their answers."""
import sys, warnings

warnings.filterwarnings("ignore")
import networks, tables  # noqa: E401, F401: they add their kinds
from zoo import write

write(sys.argv[1])
