from .parquet_dataset import ParquetRows as ParquetRows
from .row_groups import encode_labels as encode_labels
from .scaler import SymmetricScaler as SymmetricScaler
from .table import Table as Table
from .table import read_table as read_table

__all__: list[str]
