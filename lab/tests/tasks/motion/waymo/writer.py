"""Writes TFRecord files of both flavours, by the book and one byte at a time: what the reader is tested against."""

import functools
import struct

import numpy as np

SPANS = {"past": slice(0, 10), "current": slice(10, 11), "future": slice(11, 91)}


def crc32c(data):
    """CRC-32C, bit by bit."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32)


@functools.lru_cache(maxsize=64)
def frame(data):
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def varint(value):
    value %= 2**64
    digits = []
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def integer(number, value):
    return varint(number << 3) + varint(value)


def double(number, value):
    return varint(number << 3 | 1) + struct.pack("<d", value)


def block(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def single(number, value):
    return varint(number << 3 | 5) + struct.pack("<f", value)


def scene(n=2, seed=0, valid=True, steps=91):
    """A made-up scene: id, track numbers, types, positions (n, steps, 3), valid (n, steps)."""
    rng = np.random.default_rng(seed)
    start = rng.normal(size=(n, 1, 3)) * 100 + [0, 0, 500]
    positions = start + np.cumsum(rng.normal(size=(n, steps, 3)) * [0.2, 0.2, 0.1], axis=1)
    return f"scene{seed}", np.arange(n) + 100, np.ones(n, int), positions, np.full((n, steps), valid)


def state(x, y, z, valid):
    """A state as protobuf writes it, with the fields that the reader skips."""
    centre = double(2, x) + double(3, y) + double(4, z)
    return centre + b"".join(single(number, 1.5) for number in range(5, 11)) + integer(11, int(valid))


def track(number, kind, states):
    return integer(1, number) + integer(2, kind) + b"".join(block(3, s) for s in states)


def scenario(name, ids, types, positions, valid):
    times = b"".join(double(1, 0.1 * step) for step in range(positions.shape[1]))
    tracks = b"".join(
        block(2, track(int(i), int(kind), [state(*xyz, ok) for xyz, ok in zip(x, v, strict=True)]))
        for i, kind, x, v in zip(ids, types, positions, valid, strict=True)
    )
    road = block(8, b"\x08\x07" * 50)
    return times + tracks + block(5, name.encode()) + integer(6, 0) + road + integer(10, 10)


def floats(values, packed=True):
    values = np.asarray(values, "<f4").ravel()
    stored = block(1, values.tobytes()) if packed else b"".join(single(1, v) for v in values)
    return block(2, stored)


def integers(values, packed=True):
    values = [int(v) for v in np.ravel(values)]
    each = b"".join(map(varint, values)) if packed else b""
    return block(3, block(1, each) if packed else b"".join(integer(1, v) for v in values))


def features(name, ids, types, positions, valid, packed=True):
    """The encoded features of a scene, by key."""
    encoded = {
        "scenario/id": block(1, block(1, name.encode())),
        "state/id": floats(ids, packed),
        "state/type": floats(types, packed),
        "roadgraph_samples/xyz": floats(np.zeros(300)),
    }
    for span, steps in SPANS.items():
        for k, axis in enumerate("xyz"):
            encoded[f"state/{span}/{axis}"] = floats(positions[:, steps, k], packed)
        encoded[f"state/{span}/valid"] = integers(valid[:, steps], packed)
    return encoded


def join(encoded):
    entries = (block(1, block(1, key.encode()) + block(2, value)) for key, value in encoded.items())
    return block(1, b"".join(entries))


def example(*scene, packed=True):
    return join(features(*scene, packed=packed))


def write(path, records):
    path.write_bytes(b"".join(frame(record) for record in records))
    return path
