"""A Scenario written by protobuf's own code, from a schema built on the spot; needs the extra ``[waymo]``."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Field = descriptor_pb2.FieldDescriptorProto
SCHEMA = {
    "State": [("x", 2, "DOUBLE"), ("y", 3, "DOUBLE"), ("z", 4, "DOUBLE"), ("heading", 8, "FLOAT"), ("valid", 11, "BOOL")],
    "Track": [("id", 1, "INT32"), ("object_type", 2, "INT32"), ("states", 3, ".twin.State")],
    "Scenario": [("times", 1, "DOUBLE"), ("tracks", 2, ".twin.Track"), ("scenario_id", 5, "STRING")],
}  # fmt: skip
REPEATED = {"states", "tracks", "times"}


def scenario_class():
    file = descriptor_pb2.FileDescriptorProto(name="twin.proto", package="twin", syntax="proto2")
    for message, fields in SCHEMA.items():
        described = file.message_type.add(name=message)
        for name, number, kind in fields:
            field = described.field.add(name=name, number=number)
            field.label = Field.LABEL_REPEATED if name in REPEATED else Field.LABEL_OPTIONAL
            if kind.startswith("."):
                field.type, field.type_name = Field.TYPE_MESSAGE, kind
            else:
                field.type = getattr(Field, f"TYPE_{kind}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("twin.Scenario"))


def scenario_bytes(name, ids, types, positions, valid):
    message = scenario_class()(scenario_id=name, times=[0.1 * step for step in range(positions.shape[1])])
    for i, kind, points, oks in zip(ids, types, positions, valid, strict=True):
        track = message.tracks.add(id=int(i), object_type=int(kind))
        for (x, y, z), ok in zip(points, oks, strict=True):
            track.states.add(x=x, y=y, z=z, heading=0.5, valid=bool(ok))
    return message.SerializeToString()
