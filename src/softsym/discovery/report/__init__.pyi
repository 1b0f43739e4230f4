from .charts import percent as percent
from .content import ReportData as ReportData
from .content import make_report_data as make_report_data
from .page import Report as Report
from .page import render as render

__all__: list[str]
