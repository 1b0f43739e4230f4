from .labels import numbered as numbered
from .normalisation import SURVIVING as SURVIVING
from .normalisation import TRAJECTORY as TRAJECTORY
from .scaler import SymmetricScaler as SymmetricScaler
from .stream import ParquetRows as ParquetRows
from .table import Table as Table
from .table import read_table as read_table

__all__: list[str]
