#!/usr/bin/python3
"""Writes events.tfevents: the event file of tests/runs/tensorboard_test.cc as TensorBoard's own classes write it.

Needs the package tensorboard (2.21).
"""

from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

PATH = Path(__file__).resolve().parent / "events.tfevents"
UPDATE = {"loss/training": 2.5, "training/learning_rate": 0.002, "training/gradient_norm": 0.75, "training/tokens_per_second": 55707.142}
VALIDATION = {"loss/held_out": 1.25, "held_out/exact": 0.3356678, "held_out/cer": 0.125}
LATER = {"loss/training": 1.5, "training/learning_rate": 0.001, "training/gradient_norm": 0.5, "training/tokens_per_second": 55000.0,
         "objective/likelihood": 1.25, "objective/coverage": 0.25}


def event(seconds, update, figures):
    values = [Summary.Value(tag=tag, simple_value=value) for tag, value in figures.items()]
    return Event(wall_time=seconds, step=update, summary=Summary(value=values))


def main():
    first = Event(file_version="brain.Event:2")
    with PATH.open("wb") as file:
        writer = RecordWriter(file)
        for each in (first, event(3.5, 50, UPDATE), event(4.0, 73, VALIDATION), event(100.25, 300, LATER)):
            writer.write(each.SerializeToString())


if __name__ == "__main__":
    main()
