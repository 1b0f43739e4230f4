from .conversions import angle_to_vector as angle_to_vector
from .conversions import body_to_space as body_to_space
from .conversions import euler_to_vectors as euler_to_vectors
from .conversions import mandel_to_voigt as mandel_to_voigt
from .conversions import matrix_to_vectors as matrix_to_vectors
from .conversions import quaternion_to_vectors as quaternion_to_vectors
from .conversions import voigt_to_mandel as voigt_to_mandel
from .parquet_dataset import ParquetRows as ParquetRows
from .scaler import SymmetricScaler as SymmetricScaler
from .table import Table as Table
from .table import encode_labels as encode_labels
from .table import read_table as read_table

__all__: list[str]
