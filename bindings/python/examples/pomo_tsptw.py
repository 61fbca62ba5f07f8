#!/usr/bin/env python3
"""A small POMO for the TSP with time windows in PyTorch, and what turns it into UCPO: one line.

    pomo_tsptw.py [--loss ucpo|pomo] [--seconds 45] [--size 10]

The policy samples trajectories that may come too late. POMO punishes lateness through the reward; UCPO compares
trajectories: feasible ones first. Watch the share of infeasible samples fall.
"""
import argparse
import time

import torch
from torch import nn

import ucpo
from ucpo.torch import ucpo_loss


class Policy(nn.Module):
    """Attention over the nodes, then a pointer that sees where it is and what time it is."""

    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Linear(4, width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.query = nn.Linear(width + 1, width)
        self.key = nn.Linear(width, width)
        # what going to a node now would mean: way, wait, slack; added to the pointer's values
        self.side = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))

    def rollout(self, nodes, samples):
        """Log-likelihood, tour length and total lateness of sampled tours, each (batch, samples)."""
        B, n, _ = nodes.shape
        h = self.encoder(self.embed(nodes))
        keys = self.key(h)
        xy, ready, due = nodes[..., :2], nodes[..., 2], nodes[..., 3]
        way = torch.cdist(xy, xy)
        at = torch.zeros(B, samples, dtype=torch.long)
        open_ = torch.ones(B, samples, n, dtype=torch.bool)
        open_[:, :, 0] = False
        now = torch.zeros(B, samples)
        log_likelihood, length, late = torch.zeros(3, B, samples)
        for _ in range(n - 1):
            where = h.gather(1, at.unsqueeze(2).expand(B, samples, h.shape[2]))
            query = self.query(torch.cat((where, now.unsqueeze(2)), 2))
            legs = way.gather(1, at.unsqueeze(2).expand(B, samples, n))
            arrive = now.unsqueeze(2) + legs
            start = torch.maximum(arrive, ready.unsqueeze(1))
            slack = (due.unsqueeze(1) - start).clamp(-2, 2)
            features = torch.stack((legs, start - arrive, slack), 3)
            logits = 10 * torch.tanh(query @ keys.transpose(1, 2) / keys.shape[2] ** 0.5) + self.side(features).squeeze(3)
            logits = logits.masked_fill(~open_, float("-inf"))
            probabilities = torch.log_softmax(logits, 2)
            pick = torch.multinomial(probabilities.detach().exp().reshape(B * samples, n), 1).reshape(B, samples, 1)
            log_likelihood = log_likelihood + probabilities.gather(2, pick).squeeze(2)
            length = length + legs.gather(2, pick).squeeze(2)
            now = start.gather(2, pick).squeeze(2)
            late = late + (now - due.gather(1, pick.squeeze(2))).clamp(min=0)
            open_ = open_.scatter(2, pick, False)
            at = pick.squeeze(2)
        return log_likelihood, length + way[:, :, 0].gather(1, at), late


def instances(size, count, seed):
    """Features of random instances: coordinates and windows in units of the square's side."""
    rows = ucpo.generate("tsptw", size, count, level="hard", seed=seed).array()
    return torch.from_numpy(rows).float() / 100.0


def train(loss_name="ucpo", seconds=45.0, size=10, samples=16, batch=32, seed=1, steps=10**9, quiet=False):
    """Returns the share of infeasible samples in the first and in the last steps."""
    torch.set_num_threads(1)  # small tensors: more threads only wait for each other
    torch.manual_seed(seed)
    policy = Policy()
    optimiser = torch.optim.Adam(policy.parameters(), lr=3e-3)
    pool = instances(size, 64 * batch, seed)
    shares, begin = [], time.monotonic()
    while time.monotonic() - begin < seconds and len(shares) < steps:
        nodes = pool[torch.randint(len(pool), (batch,))]
        log_likelihood, length, late = policy.rollout(nodes, samples)
        if loss_name == "pomo":
            reward = -(length + late)
            loss = -((reward - reward.mean(1, keepdim=True)) * log_likelihood).mean()
        else:
            loss, _ = ucpo_loss(log_likelihood, length, late, alpha="3/n", nodes=size)  # the one line
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        shares.append((late > 1e-5).float().mean().item())
        if not quiet and len(shares) % 50 == 1:
            print(f"{time.monotonic() - begin:5.1f} s  step {len(shares):4}  infeasible {100 * shares[-1]:5.1f} % of samples  "
                  f"length {length.mean().item():.3f}", flush=True)
    head, tail = shares[:5], shares[-20:]
    return sum(head) / len(head), sum(tail) / len(tail)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loss", choices=("ucpo", "pomo"), default="ucpo")
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--size", type=int, default=10)
    options = parser.parse_args()
    first, last = train(options.loss, options.seconds, options.size)
    print(f"infeasible samples: {100 * first:.1f} % at the start, {100 * last:.1f} % at the end")
