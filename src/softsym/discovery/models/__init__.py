"""Models: one file per kind, behind one protocol (:class:`softsym.discovery.models.base.Model`)."""
