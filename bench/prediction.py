"""Greedy and beam search over the models of models.py, for answers of exactly `length` symbols."""

import torch

START, STOP = 2, 3
NEVER = 4  # the symbols below are never chosen: pad, unknown, start, stop


class Search:
    """`begin` and `step` are the model's, or compiled forms of them."""

    def __init__(self, model, begin=None, step=None):
        self.begin = begin or model.begin
        self.step = step or model.step
        self.reorder = model.reorder

    @torch.inference_mode()
    def greedy(self, source, length, with_scores=False):
        """-> symbols [batch, length], and if asked for each answer's mean log-probability, else None"""
        sources, state = self.begin(source, length)
        previous = torch.full((source.shape[0],), START)
        written, scores = [], 0
        for t in range(length):
            logits, state = self.step(t, previous, sources, state)
            if with_scores:
                logits = torch.log_softmax(logits, 1)
            best, previous = logits[:, NEVER:].max(1)
            previous = previous + NEVER
            scores = scores + best
            written.append(previous)
        return torch.stack(written, 1), scores / length if with_scores else None

    @torch.inference_mode()
    def beam(self, source, length, size):
        """One source [1, positions] -> the best answer's symbols [length] and its mean log-probability"""
        sources, state = self.begin(source, length)
        previous = torch.full((1,), START)
        scores = torch.zeros(1, 1)
        written = torch.empty(1, 0, dtype=torch.long)
        for t in range(length):
            logits, state = self.step(t, previous, sources, state)
            totals = scores + torch.log_softmax(logits, 1)[:, NEVER:]
            best, places = totals.flatten().topk(size)
            rows = places // totals.shape[1]
            previous = places % totals.shape[1] + NEVER
            scores = best[:, None]
            state = self.reorder(state, rows)
            written = torch.cat((written.index_select(0, rows), previous[:, None]), 1)
        return written[0], scores[0, 0] / length
