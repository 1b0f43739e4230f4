from .common import Interrupted as Interrupted
from .common import check_target as check_target
from .common import check_texts as check_texts
from .common import write_json as write_json

__all__: list[str]
