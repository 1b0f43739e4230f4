"""Reader of the Waymo Open Motion Dataset, without TensorFlow: TFRecord files of either flavour to past and future positions.

It needs the extra ``[waymo]``: protobuf for the messages, crc32c for the checksums of the frames around them.
The data are Waymo's, under Waymo's own non-commercial licence; point :func:`extract` at a folder you downloaded.
"""

from softsym_lab.tasks.motion.waymo.extract import extract
from softsym_lab.tasks.motion.waymo.reader import read_scenes
from softsym_lab.tasks.motion.waymo.scene import OBJECT_TYPES, Scene, Tracks
from softsym_lab.tasks.motion.waymo.tfrecord import Record, read_records
from softsym_lab.tasks.motion.waymo.windows import CODE, HONEST, ExtractSettings

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
