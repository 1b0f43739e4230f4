from .early import check_texts as check_texts
from .output import check_target as check_target
from .output import write_json as write_json

__all__: list[str]
