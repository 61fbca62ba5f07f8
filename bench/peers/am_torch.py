"""The attention model (AM) with batch norm on tsptw in PyTorch, under the names of its published checkpoints.

Written from the description of the network, apart from the engine's way of computing it: heads are a dimension of their own,
the logits have keys of their own, the query is a fixed part plus a step's. Greedy only.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        key = width // heads
        for name in ("W_query", "W_key", "W_val"):
            setattr(self, name, nn.Parameter(torch.empty(heads, width, key).uniform_(-1, 1) / math.sqrt(key)))
        self.W_out = nn.Parameter(torch.empty(heads, key, width).uniform_(-1, 1) / math.sqrt(width))

    def forward(self, h):
        q, k, v = (torch.einsum("bnd,hdk->hbnk", h, w) for w in (self.W_query, self.W_key, self.W_val))
        weight = (q @ k.transpose(2, 3) / math.sqrt(q.shape[3])).softmax(3)
        return torch.einsum("hbnk,hkd->bnd", weight @ v, self.W_out)


class Skip(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, h):
        return h + self.module(h)


class Norm(nn.Module):
    def __init__(self, width, has_statistics):
        super().__init__()
        self.normalizer = nn.BatchNorm1d(width, track_running_stats=has_statistics)

    def forward(self, h):
        return self.normalizer(h.flatten(0, 1)).view_as(h)


class Embedder(nn.Module):
    def __init__(self, heads, width, hidden, layers, has_statistics):
        super().__init__()
        self.layers = nn.Sequential(*(nn.Sequential(
            Skip(Attention(heads, width)), Norm(width, has_statistics),
            Skip(nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))), Norm(width, has_statistics))
            for _ in range(layers)))


class AttentionModel(nn.Module):
    """statistics=False: as AM*+PIP-D was saved, without running statistics and with a second decoder."""

    def __init__(self, width=128, heads=8, hidden=512, layers=3, statistics=True):
        super().__init__()
        self.heads = heads
        self.init_embed = nn.Linear(4, width)
        self.embedder = Embedder(heads, width, hidden, layers, statistics)
        for suffix in ("",) if statistics else ("", "_sl"):
            self.add_module("project_node_embeddings" + suffix, nn.Linear(width, 3 * width, bias=False))
            self.add_module("project_fixed_context" + suffix, nn.Linear(width, width, bias=False))
            self.add_module("project_step_context" + suffix, nn.Linear(width + 1, width, bias=False))
            self.add_module("project_out" + suffix, nn.Linear(width, width, bias=False))

    def encode(self, features):
        return self.embedder.layers(self.init_embed(features))

    def logits(self, h, at, time, mask):
        """Of one decision per instance; mask is true where a node is closed."""
        B, n, D = h.shape
        split = (B, n, self.heads, D // self.heads)
        key, value, logit_key = self.project_node_embeddings(h).chunk(3, 2)
        step = torch.cat((h[torch.arange(B), at], time.unsqueeze(1)), 1)
        query = self.project_fixed_context(h.mean(1)) + self.project_step_context(step)
        query = query.view(B, self.heads, 1, -1)
        score = (query @ key.view(split).permute(0, 2, 3, 1)) / math.sqrt(split[3])
        score = score.masked_fill(mask[:, None, None], -math.inf)
        glimpse = score.softmax(3) @ value.view(split).transpose(1, 2)
        glimpse = self.project_out(glimpse.reshape(B, D))
        u = 10 * torch.tanh((logit_key @ glimpse.unsqueeze(2)).squeeze(2) / math.sqrt(D))
        return u.masked_fill(mask, -math.inf)


def look_ahead(dist, ready, due, at, time, visited, tolerance):
    """Nodes that PIP closes: visited ones and those after which another one would be too late."""
    start = torch.maximum(time.unsqueeze(1) + dist[torch.arange(len(at)), at], ready)
    late = start.unsqueeze(2) + dist > due.unsqueeze(1) + tolerance
    late &= ~visited.unsqueeze(1)
    late.diagonal(dim1=1, dim2=2).fill_(False)
    closed = visited | late.any(2)
    return torch.where(closed.all(1, keepdim=True), visited, closed)


@torch.no_grad()
def greedy(model, raw, has_lookahead, tolerance=1e-4, unit=100.0):
    """Tours (B, n-1), summed log-probabilities and the smallest gap between best and second-best logit of each, for instances
    (B, n, 4) of x, y, ready, due as files have them."""
    data = torch.as_tensor(raw, dtype=model.init_embed.weight.dtype) / unit
    xy, ready, due = data[:, :, :2], data[:, :, 2], data[:, :, 3].clone()
    dist = (xy.unsqueeze(2) - xy.unsqueeze(1)).square().sum(3).sqrt()
    due[:, 0] = (due + dist[:, :, 0])[:, 1:].amax(1)
    h = model.encode(torch.cat((xy, torch.stack((ready, due), 2) / due[:, :1, None]), 2))
    B, n = ready.shape
    rows, at, time = torch.arange(B), torch.zeros(B, dtype=torch.long), xy.new_zeros(B)
    visited = torch.zeros(B, n, dtype=torch.bool)
    visited[:, 0] = True
    total, margin, tour = xy.new_zeros(B), xy.new_full((B,), math.inf), []
    for step in range(n - 1):
        mask = visited
        if has_lookahead and step < n - 2:
            mask = look_ahead(dist, ready, due, at, time, visited, tolerance)
        u = model.logits(h, at, time, mask)
        best = u.topk(2, 1)
        margin = torch.minimum(margin, best.values[:, 0] - best.values[:, 1])
        node = best.indices[:, 0]
        total += F.log_softmax(u, 1)[rows, node]
        time = torch.maximum(time + dist[rows, at, node], ready[rows, node])
        at = node
        visited[rows, node] = True
        tour.append(node)
    return torch.stack(tour, 1), total, margin
