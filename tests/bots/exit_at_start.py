import sys

sys.exit("no model file")
