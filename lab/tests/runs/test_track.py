import pytest

from softsym.errors import InputError
from softsym_lab.runs import track


def test_without_tensorboard_the_message_says_what_to_install(tmp_path, monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("torch.utils.tensorboard"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"pip install 'softsym\[track\]'"):
        track.tensorboard(tmp_path)


def test_rows_are_flattened():
    row = {"epoch": 2, "loss": 1, "validation": None, "residuals": {"O(3)": 0.5}}
    assert track.flat(row) == {"loss": 1.0, "residuals/O(3)": 0.5}


def test_scalars_are_written(tmp_path):
    pytest.importorskip("tensorboard")
    note = track.tensorboard(tmp_path)
    note({"epoch": 1, "loss": 0.5})
    assert any(tmp_path.iterdir())
