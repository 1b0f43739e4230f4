"""Reader of the Waymo Open Motion Dataset, without TensorFlow: TFRecord files of either flavour to past and future positions.

The data are Waymo's, under Waymo's own non-commercial licence; point :func:`extract` at a folder you downloaded.
"""

from softsym.tasks.waymo.extract import extract
from softsym.tasks.waymo.reader import read_scenes
from softsym.tasks.waymo.scene import OBJECT_TYPES, Scene
from softsym.tasks.waymo.tfrecord import Record, read_records
from softsym.tasks.waymo.tracks import Tracks
from softsym.tasks.waymo.windows import CODE, HONEST, ExtractSettings

__all__ = [
    "CODE",
    "HONEST",
    "OBJECT_TYPES",
    "ExtractSettings",
    "Record",
    "Scene",
    "Tracks",
    "extract",
    "read_records",
    "read_scenes",
]
