"""POMO with PIP and PIP-D for tsptw, tspdl, cvrptw and cvrptwlv in PyTorch.

The peer of the C engine: parity tests compare against it, benchmarks run against it. Instances and
samples are batched: state tensors are (B, N) or (B, N, n) for B instances, N samples, n nodes.
Parameter names and their order are those of the engine's table.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

WIDTHS = {  # depot features (0: the depot is a plain node), node features, state scalars
    "tsptw": (0, 4, 1),
    "tspdl": (0, 4, 1),
    "cvrptw": (2, 5, 2),
    "cvrptwlv": (2, 5, 3),
}


# ---- network ----


class FixedNorm(nn.Module):
    """Batch norm with statistics that stay as they are."""

    def __init__(self, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.running_mean = nn.Parameter(torch.zeros(width), requires_grad=False)
        self.running_var = nn.Parameter(torch.ones(width), requires_grad=False)

    def forward(self, x):
        return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias)


NORMS = {"instance": lambda width: nn.InstanceNorm1d(width, affine=True), "layer": nn.LayerNorm,
         "fixed": FixedNorm}


class AddNorm(nn.Module):
    """Residual sum, then instance norm (per channel over the nodes), layer norm or a fixed norm."""

    def __init__(self, width, kind):
        super().__init__()
        self.norm = NORMS[kind](width)
        self.is_layer = kind == "layer"

    def forward(self, a, b):
        x = a + b
        return self.norm(x) if self.is_layer else self.norm(x.transpose(1, 2)).transpose(1, 2)


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.W1 = nn.Linear(width, hidden)
        self.W2 = nn.Linear(hidden, width)

    def forward(self, x):
        return self.W2(F.relu(self.W1(x)))


class Layer(nn.Module):
    def __init__(self, width, heads, hidden, norm, pairs=0):
        super().__init__()
        self.heads = heads
        self.Wq = nn.Linear(width, width, bias=False)
        self.Wk = nn.Linear(width, width, bias=False)
        self.Wv = nn.Linear(width, width, bias=False)
        self.multi_head_combine = nn.Linear(width, width)
        self.addAndNormalization1 = AddNorm(width, norm)
        self.feedForward = FeedForward(width, hidden)
        self.addAndNormalization2 = AddNorm(width, norm)
        if pairs:  # features of a pair of nodes, heard in the scores
            self.pair = nn.Linear(pairs, heads, bias=False)

    def forward(self, h, pairs=None):
        B, n, D = h.shape
        split = (B, n, self.heads, D // self.heads)
        q = self.Wq(h).view(split).transpose(1, 2)
        k = self.Wk(h).view(split).permute(0, 2, 3, 1)
        v = self.Wv(h).view(split).transpose(1, 2)
        score = (q @ k).mul_(split[3] ** -0.5)
        if pairs is not None:
            score = score + self.pair(pairs).permute(0, 3, 1, 2)
        weight = score.softmax(-1)
        heads = (weight @ v).transpose(1, 2).reshape(B, n, D)
        h = self.addAndNormalization1(h, self.multi_head_combine(heads))
        return self.addAndNormalization2(h, self.feedForward(h))


class Encoder(nn.Module):
    def __init__(self, depot, node, width, heads, hidden, layers, norm, pairs=0):
        super().__init__()
        if depot:
            self.embedding_depot = nn.Linear(depot, width)
        self.embedding_node = nn.Linear(node, width)
        self.layers = nn.ModuleList(Layer(width, heads, hidden, norm, pairs) for _ in range(layers))

    def forward(self, depot, node, pairs=None):
        """pairs: (B, n, n, P), for a network that hears them: Env.pairs()."""
        dtype = self.embedding_node.weight.dtype
        h = self.embedding_node(node.to(dtype))
        if depot is not None:
            h = torch.cat((self.embedding_depot(depot.to(dtype)).unsqueeze(1), h), 1)
        for layer in self.layers:
            h = layer(h, pairs)
        return h


class Decoder(nn.Module):
    """Holds the parameters of the policy's decoder and, with aux, of PIP-D's; Pointer uses them."""

    def __init__(self, width, state, aux, side=(0, 0), mean=False, heads=0):
        super().__init__()
        suffixes = ("", "_sl") if aux else ("",)
        for s in suffixes:
            self.add_module("Wq_last" + s, nn.Linear(width + state, width, bias=False))
        for s in suffixes:
            self.add_module("Wk" + s, nn.Linear(width, width, bias=False))
            self.add_module("Wv" + s, nn.Linear(width, width, bias=False))
        for s in suffixes:
            self.add_module("multi_head_combine" + s, nn.Linear(width, width))
        if mean:  # the policy's query also sees the mean of the nodes
            self.Wq_mean = nn.Linear(width, width, bias=False)
        if side[1]:  # features of a decision, hidden units
            self.side_W1 = nn.Linear(*side)
            self.side_W2 = nn.Linear(side[1], 1, bias=False)
            if heads:  # heard in the scores of the glimpse, too
                self.side_V = nn.Linear(side[1], heads, bias=False)


class Model(nn.Module):
    def __init__(self, problem, width=128, heads=8, hidden=512, layers=6, norm="instance",
                 clip=10.0, aux=False, side=(0, 0), mean=False, glimpse=False, pairs=0):
        super().__init__()
        if problem not in WIDTHS:
            raise ValueError(f"problem is {problem!r}, the network in PyTorch has: {', '.join(WIDTHS)}")
        depot, node, state = WIDTHS[problem]
        self.heads, self.clip = heads, clip
        self.encoder = Encoder(depot, node, width, heads, hidden, layers, norm, pairs)
        self.decoder = Decoder(width, state, aux, side, mean, heads if glimpse else 0)


class Pointer:
    """One decoder over encoded nodes h (B, n, D): what does not change from step to step."""

    def __init__(self, model, h, suffix=""):
        def part(name):
            return getattr(model.decoder, name + suffix)

        B, n, D = h.shape
        self.heads, self.head_width, self.clip = model.heads, D // model.heads, model.clip
        split = (B, n, self.heads, self.head_width)
        wq = part("Wq_last").weight
        self.query = F.linear(h, wq[:, :D])  # of every node; the state's share is added per step
        if hasattr(model.decoder, "Wq_mean") and not suffix:
            self.query = self.query + model.decoder.Wq_mean(h.mean(1, keepdim=True))
        self.wq_state = wq[:, D:]
        self.k = (part("Wk")(h) * self.head_width ** -0.5).view(split).permute(0, 2, 3, 1)
        self.k = self.k.contiguous()
        self.v = part("Wv")(h).view(split).transpose(1, 2).contiguous()
        self.mix = part("multi_head_combine")
        self.side = model.decoder if hasattr(model.decoder, "side_W1") else None
        self.key = h.transpose(1, 2).contiguous()

    def point(self, at, state, mask=None, extra=None):
        """Raw pointer values (B, N, n); mask is 0 for open nodes and -inf for closed ones; extra (B, N, n, heads)."""
        B, N = at.shape
        D = self.heads * self.head_width
        q = self.query.gather(1, at.unsqueeze(2).expand(B, N, D))
        q = q + F.linear(state.to(q.dtype), self.wq_state)
        score = q.view(B, N, self.heads, self.head_width).transpose(1, 2) @ self.k
        if mask is not None:
            score += mask.unsqueeze(1)
        if extra is not None:
            score = score + extra.permute(0, 3, 1, 2)
        glimpse = (score.softmax(-1) @ self.v).transpose(1, 2).reshape(B, N, D)
        return self.mix(glimpse) @ self.key

    def logits(self, at, state, allowed, phi=None):
        """Clipped, masked logits of the policy; phi (B, N, n, F) are the features of the decision."""
        mask = torch.zeros(allowed.shape, dtype=self.query.dtype).masked_fill_(~allowed, -math.inf)
        units = None if phi is None else F.relu(self.side.side_W1(phi))
        extra = self.side.side_V(units) if phi is not None and hasattr(self.side, "side_V") else None
        u = self.point(at, state, mask, extra) * (self.heads * self.head_width) ** -0.5
        u = self.clip * torch.tanh(u) if self.clip > 0 else u
        if phi is not None:
            u = u + self.side.side_W2(units).squeeze(3)
        return u + mask


# ---- environments ----

PAIRS = {  # names and order of the engine's features of pairs
    "tsptw": "way near nearest turn same depot forward forward_4 backward backward_4 wait later apart apart_4 "
             "far_apart near_forward".split(),
    "tspdl": "way near nearest turn same depot deeper deeper_4 apart far_apart shallow limit".split(),
    "cvrptw": "way near nearest turn same depot load saving angle".split(),
}
PAIRS["cvrptwlv"] = PAIRS["cvrptw"]


def squash(x, scale=1.0):
    return x / (x.abs() + scale)


class Env:
    """Batch of instances, N samples each. `data` maps names to (B, n) or (B,) tensors:
    x, y, ready, due, service, demand, limit, capacity, vehicles, unit, tolerance."""

    is_tour = True
    has_units = False  # the state's time in units, not as a share of the day

    def __init__(self, data, samples):
        self.data, self.N = data, samples
        self.B, self.n = data["x"].shape
        x, y = data["x"], data["y"]
        dx, dy = x.unsqueeze(2) - x.unsqueeze(1), y.unsqueeze(2) - y.unsqueeze(1)
        self.dist = (dx * dx + dy * dy).sqrt()
        self.tolerance = data["tolerance"].unsqueeze(1)
        self.unit = data["unit"].unsqueeze(1)
        self.tables()
        self.reset()

    def xy(self, image=0):
        """Coordinates shown to the network, under symmetry `image` of the unit square."""
        x, y = (self.data["x"] / self.unit).float(), (self.data["y"] / self.unit).float()
        u, v = (y, x) if image & 4 else (x, y)
        return torch.stack((1 - u if image & 1 else u, 1 - v if image & 2 else v), 2)

    def pairs(self):
        """Features of all ordered pairs of nodes, (B, n, n, P), in the order of PAIRS. Ways are the
        same both ways here, and times are ways."""
        problem = type(self).__name__.lower()
        known = {**self.pair_ways(), **(self.pair_windows() if problem == "tsptw" else {}),
                 **(self.pair_drafts() if problem == "tspdl" else {}),
                 **(self.pair_routes() if not self.is_tour else {})}
        return torch.stack([known[name].expand_as(self.dist) for name in PAIRS[problem]], 3)

    def pair_ways(self):
        way = self.dist / self.unit.unsqueeze(2)
        self.pair_step = way * self.n ** 0.5  # in terms of the way between neighbours
        depot = torch.zeros_like(way)
        depot[:, 0], depot[:, :, 0] = 1, 1
        return {"way": way.clamp(max=4), "near": squash(self.pair_step), "nearest": squash(self.pair_step ** 2, 1 / 4),
                "turn": torch.zeros_like(way), "same": torch.eye(self.n, dtype=way.dtype), "depot": depot}

    def pair_windows(self):
        unit, d = self.unit, self.data
        horizon = (d["due"] + d["service"] + self.dist[:, :, 0])[:, 1:].amax(1, keepdim=True)
        ready = (d["ready"] - d["ready"][:, :1]) / unit
        due = (torch.minimum(d["due"], horizon) - d["ready"][:, :1]) / unit
        service, way = d["service"] / unit, self.dist / unit.unsqueeze(2)

        def i(x):
            return x.unsqueeze(2)

        def j(x):
            return x.unsqueeze(1)

        forward = j(due) - i(ready + service) - way
        backward = i(due) - j(ready + service) - way
        apart = (j(ready + due) / 2 - i(ready + due) / 2) ** 2
        wait = j(ready) - i(due + service) - way
        return {"forward": squash(forward), "forward_4": squash(forward, 1 / 4),
                "backward": squash(backward), "backward_4": squash(backward, 1 / 4),
                "wait": squash(wait), "later": squash(j(ready) - i(ready), 3),
                "apart": squash(apart), "apart_4": squash(apart, 1 / 16),
                "far_apart": squash((1 + self.pair_step) * (1 + apart) - 1),
                "near_forward": squash(forward) / (1 + self.pair_step)}

    def pair_drafts(self):
        total = self.data["demand"][:, 1:].sum(1, keepdim=True)
        limit = torch.minimum(self.data["limit"], total)
        deeper = (limit.unsqueeze(1) - limit.unsqueeze(2)) / (4 * total / (self.n - 1)).unsqueeze(2)
        share = limit / total
        return {"deeper": squash(deeper), "deeper_4": squash(deeper, 1 / 4), "apart": squash(deeper ** 2),
                "far_apart": squash((1 + self.pair_step) * (1 + deeper ** 2) - 1),
                "shallow": torch.minimum(share.unsqueeze(1), share.unsqueeze(2)),
                "limit": share.unsqueeze(1)}

    def pair_routes(self):
        way = self.dist / self.unit.unsqueeze(2)
        share = self.data["demand"] / self.data["capacity"].view(-1, 1)
        x, y = (self.data[a] - self.data[a][:, :1] for a in "xy")
        dot = x.unsqueeze(1) * x.unsqueeze(2) + y.unsqueeze(1) * y.unsqueeze(2)
        product = self.dist[:, :1] * self.dist[:, :, :1]
        angle = torch.where(product > 0, 1 - dot / product.clamp(min=1e-300), torch.zeros_like(dot))
        through = way[:, :, :1] + way[:, :1]
        saving = through - way
        return {"load": share.unsqueeze(1) + share.unsqueeze(2), "saving": saving,
                "saved": torch.where(through > 0, saving / through.clamp(min=1e-300), torch.zeros_like(way)),
                "angle": angle, "angle_4": squash(angle, 1 / 16)}

    def zeros(self):
        return self.dist.new_zeros(self.B, self.N)

    def time_scale(self, span):
        return self.unit if self.has_units else span

    def per_node(self, name, node):
        return self.data[name].gather(1, node)

    def ways(self):
        """Distances from where each sample stands to every node: (B, N, n)."""
        return self.dist.gather(1, self.at.unsqueeze(2).expand(self.B, self.N, self.n))

    def reset(self):
        self.at = torch.zeros(self.B, self.N, dtype=torch.long)
        self.visited = torch.zeros(self.B, self.N, self.n, dtype=torch.bool)
        self.visited[:, :, 0] = True
        self.length, self.excess, self.violations = self.zeros(), self.zeros(), self.zeros()
        self.left = self.n - 1  # customers not yet served; a tensor for routes
        self.hopeless = torch.zeros(self.B, self.N, 1, dtype=torch.bool)

    def travel(self, node):
        leg = self.dist.view(self.B, -1).gather(1, self.at * self.n + node)
        self.length += leg
        self.at = node
        self.visited.scatter_(2, node.unsqueeze(2), True)
        return leg

    def count(self, excess, unit):
        excess = excess.clamp(min=0)
        self.excess += excess / unit
        self.violations += excess > 0

    def fall_back(self, good):
        """good (B, N, n) restricted to unvisited nodes; all unvisited where nothing is good."""
        unvisited = ~self.visited
        good &= unvisited
        self.hopeless = ~good.any(2, keepdim=True)
        return good | (self.hopeless & unvisited)

    def max_steps(self):
        return self.n - 1 if self.is_tour else 2 * (self.n - 1)

    def is_done(self):
        return self.left == 0

    def result(self):
        """Objective and violation (0: feasible) of every sample."""
        return self.length / self.unit, self.excess + self.violations


class Tsptw(Env):
    """lookahead = "bound" compares each start with the tightest bound of the other unvisited nodes;
    "formula" evaluates the definition for all pairs, as the published code does. Same masks."""

    lookahead = "bound"

    def tables(self):
        d = self.data
        home = (d["due"] + d["service"] + self.dist[:, :, 0])[:, 1:]
        self.horizon, self.opening = home.amax(1, keepdim=True), d["ready"][:, :1]
        # j's service may start until bound[j][k] if k is to be reached in time afterwards
        bound = d["due"].unsqueeze(1) - self.dist - d["service"].unsqueeze(2)
        bound[:, :, 0] = math.inf
        bound.diagonal(dim1=1, dim2=2).fill_(math.inf)
        self.bound = (bound + self.tolerance.unsqueeze(2)).unsqueeze(1)

    def reset(self):
        super().reset()
        self.time = self.zeros() + self.opening

    def share_of_day(self, time):
        return ((torch.minimum(time, self.horizon) - self.opening)
                / (self.horizon - self.opening)).float()

    def features(self, image=0):
        ready, due = self.share_of_day(self.data["ready"]), self.share_of_day(self.data["due"])
        due[:, 0] = 1
        return None, torch.cat((self.xy(image), torch.stack((ready, due), 2)), 2)

    def state(self):
        scale = self.time_scale(self.horizon - self.opening)
        return ((self.time - self.opening) / scale).float().unsqueeze(2)

    def step(self, node):
        start = torch.maximum(self.time + self.travel(node), self.per_node("ready", node))
        self.count(start - self.per_node("due", node) - self.tolerance, self.unit)
        self.time = start + self.per_node("service", node)
        self.left -= 1
        if self.left == 0:
            leg = self.travel(torch.zeros_like(node))
            self.count(self.time + leg - self.data["due"][:, :1] - self.tolerance, self.unit)

    def others_in_time(self, start):
        """Whether every other unvisited node k can be reached in time after j, (B, N, n)."""
        if self.lookahead == "bound":
            closed = torch.zeros_like(start).masked_fill_(self.visited, math.inf)
            return start <= (self.bound + closed.unsqueeze(2)).amin(3)
        d = self.data
        leave = start + d["service"].unsqueeze(1)
        arrive = torch.maximum(leave.unsqueeze(3) + self.dist.unsqueeze(1),
                               d["ready"].unsqueeze(1).unsqueeze(1))
        late = arrive > (d["due"] + self.tolerance).unsqueeze(1).unsqueeze(1)
        late &= ~self.visited.unsqueeze(2)
        late.diagonal(dim1=2, dim2=3).fill_(False)
        return ~late.any(3)

    def mask(self, kind):
        if kind == "soft" or self.left < 2:
            return ~self.visited
        d = self.data
        start = torch.maximum(self.time.unsqueeze(2) + self.ways(), d["ready"].unsqueeze(1))
        good = self.others_in_time(start)
        if kind == "lookahead_own":
            latest = d["due"] + self.tolerance
            home = (d["due"][:, :1] + self.tolerance) - d["service"] - self.dist[:, :, 0]
            good &= start <= torch.minimum(latest, home).unsqueeze(1)
        return self.fall_back(good)


class Tspdl(Env):
    """Loads grow along the tour; the load after loading must not exceed the port's limit."""

    def tables(self):
        self.total = self.data["demand"][:, 1:].sum(1, keepdim=True)
        self.bound = self.data["limit"] - self.data["demand"]

    def reset(self):
        super().reset()
        self.load = self.zeros()

    def features(self, image=0):
        demand = self.data["demand"] / self.total
        limit = torch.minimum(self.data["limit"], self.total) / self.total
        return None, torch.cat((self.xy(image), torch.stack((demand, limit), 2).float()), 2)

    def state(self):
        return (self.load / self.total).float().unsqueeze(2)

    def step(self, node):
        self.travel(node)
        self.load = self.load + self.per_node("demand", node)
        self.count(self.load - self.per_node("limit", node), self.total)
        self.left -= 1
        if self.left == 0:
            self.travel(torch.zeros_like(node))
            self.count(self.load - self.data["limit"][:, :1], self.total)

    def mask(self, kind):
        if kind == "soft" or self.left < 2:
            return ~self.visited
        d = self.data
        load = self.load.unsqueeze(2) + d["demand"].unsqueeze(1)
        open_bound = self.bound.unsqueeze(1).expand_as(load).masked_fill(self.visited, math.inf)
        tight, where = open_bound.topk(2, dim=2, largest=False)
        nodes = torch.arange(self.n)
        other = torch.where(where[:, :, :1] == nodes, tight[:, :, 1:], tight[:, :, :1])
        good = load <= other
        if kind == "lookahead_own":
            good &= load <= d["limit"].unsqueeze(1)
        return self.fall_back(good)


class Cvrptw(Env):
    """Capacity, windows, return; vehicles > 0 limits the fleet (cvrptwlv)."""

    is_tour = False

    def tables(self):
        d = self.data
        self.capacity = d["capacity"].unsqueeze(1)
        self.open_at, self.span = d["ready"][:, :1], d["due"][:, :1] - d["ready"][:, :1]
        self.fleet = d["vehicles"].unsqueeze(1).to(self.dist.dtype)
        self.has_fleet = bool((d["vehicles"] > 0).all())
        # latest start of service that is in time and lets the vehicle come home in time
        home = d["due"][:, :1] - d["service"] - self.dist[:, :, 0]
        self.latest = torch.minimum(d["due"], home) + self.tolerance

    def reset(self):
        super().reset()
        self.time = self.zeros() + self.open_at
        self.load, self.used = self.zeros(), self.zeros()
        self.open_demand = self.zeros() + self.data["demand"].sum(1, keepdim=True)
        self.left = torch.full((self.B, self.N), self.n - 1)
        self.done = torch.zeros(self.B, self.N, dtype=torch.bool)

    def features(self, image=0):
        d, xy = self.data, self.xy(image)
        ready, due = (d["ready"] - self.open_at) / self.span, (d["due"] - self.open_at) / self.span
        node = torch.stack((d["demand"] / self.capacity, ready, due), 2).float()
        return xy[:, 0], torch.cat((xy, node), 2)[:, 1:]

    def state(self):
        parts = [(self.capacity - self.load) / self.capacity,
                 (self.time - self.open_at) / self.time_scale(self.span)]
        if self.has_fleet:
            parts.append((self.fleet - self.used) / self.fleet)
        return torch.stack(parts, 2).float()

    def step(self, node):
        is_customer = node > 0
        leaves = is_customer & (self.at == 0)
        self.used += leaves
        if self.has_fleet:
            self.violations += leaves & (self.used > self.fleet)
        start = torch.maximum(self.time + self.travel(node), self.per_node("ready", node))
        self.count(start - self.per_node("due", node) - self.tolerance, self.unit)
        demand = self.per_node("demand", node)
        self.time = torch.where(is_customer, start + self.per_node("service", node), self.open_at)
        self.load = torch.where(is_customer, self.load + demand, self.load.new_zeros(()))
        self.open_demand -= demand
        self.count(torch.minimum(self.load - self.capacity, demand), self.capacity)
        self.left = self.left - is_customer.long()
        self.done = ~is_customer & (self.left == 0)

    def is_done(self):
        return bool(self.done.all())

    def fills(self, start):
        """Whether after each candidate (service from `start` on, (B, N, n)) some set of the unserved that are
        reached in time from there fills the vehicle as far as a limited fleet needs; true everywhere where the
        fleet is too small already. Whole demands and small capacities only."""
        d, nodes = self.data, torch.arange(self.n)
        room = (self.capacity - self.load).unsqueeze(2)
        behind = self.fleet - self.used - (self.at == 0).long()
        waste = (behind * self.capacity - self.open_demand).unsqueeze(2) + room
        after, leave = room - d["demand"].unsqueeze(1), start + d["service"].unsqueeze(1)
        assert int(self.capacity.max()) < 62 and bool((d["demand"] == d["demand"].round()).all())
        sums, demands = torch.ones_like(after, dtype=torch.long), d["demand"].long()  # bit b: a load of b
        for k in range(1, self.n):
            in_time = leave + self.dist[:, :, k].unsqueeze(1) <= self.latest[:, k].view(-1, 1, 1)
            may = ~self.visited[:, :, k:k + 1] & (nodes != k) & (d["demand"][:, k].view(-1, 1, 1) <= after) & in_time
            sums |= torch.where(may, sums << demands[:, k].view(-1, 1, 1), 0) & (1 << 62) - 1
        most, least = after.long().clamp(min=0), (after - waste).long().clamp(min=0)
        enough = (torch.ones_like(sums) << most + 1) - (torch.ones_like(sums) << least)
        return (sums & enough != 0) | (after <= waste) | (waste < 0)

    def mask(self, kind):
        d = self.data
        unvisited = ~self.visited
        is_home = (self.at == 0).unsqueeze(2)
        room = (self.capacity - self.load).unsqueeze(2)
        fits = unvisited & (d["demand"].unsqueeze(1) <= room)
        # a demand above capacity, at home: let it happen, it is counted
        fits |= is_home & ~fits.any(2, keepdim=True) & unvisited
        allowed = fits
        if kind != "soft":
            start = torch.maximum(self.time.unsqueeze(2) + self.ways(), d["ready"].unsqueeze(1))
            allowed = fits & (start <= self.latest.unsqueeze(1))
            allowed |= is_home & ~allowed.any(2, keepdim=True) & fits
        may_return = ~is_home
        if kind != "soft" and self.has_fleet:
            good = allowed & self.fills(start)
            allowed = torch.where(good.any(2, keepdim=True), good, allowed)
            needed = self.open_demand > (self.fleet - self.used) * self.capacity
            may_return &= ~(needed.unsqueeze(2) & allowed.any(2, keepdim=True))
        may_return |= (self.left == 0).unsqueeze(2)
        allowed[:, :, :1] = may_return
        return allowed


ENVS = {"tsptw": Tsptw, "tspdl": Tspdl, "cvrptw": Cvrptw, "cvrptwlv": Cvrptw}


# ---- rollout and replay ----


def open_nodes(env, kind, state, predictor=None):
    """Nodes each sample may go to; a predictor (auxiliary Pointer) closes what it calls infeasible
    unless that closes everything."""
    if predictor is None:
        return env.mask(kind)
    allowed = env.mask("soft")
    if not env.is_tour:
        return allowed
    with torch.no_grad():
        kept = allowed & (predictor.point(env.at, state) <= 0)
    return torch.where(kept.any(2, keepdim=True), kept, allowed)


def draw(prob):
    """One index per row, by inverting the running sum; closed nodes have step 0 and stay out."""
    total = prob.cumsum(2)
    target = total[:, :, -1:] * torch.rand(prob.shape[:2] + (1,)).mul_(1 - 1e-6)
    return (total <= target).sum(2)


def rollout(pointer, env, kind, predictor=None, is_greedy=False, has_forced_start=False):
    """Samples until all are done. Returns the summed log-probabilities (with the graph, if
    gradients are on) or None without gradients, and the list of actions, one (B, N) per step."""
    log_prob, actions = None, []
    keep = torch.is_grad_enabled()
    while not env.is_done():
        if has_forced_start and not actions:
            node = (torch.arange(env.N) % (env.n - 1) + 1).expand(env.B, env.N).contiguous()
        else:
            state = env.state()
            logits = pointer.logits(env.at, state, open_nodes(env, kind, state, predictor))
            prob = logits.detach().softmax(2)
            node = prob.argmax(2) if is_greedy else draw(prob)
            if keep:
                step = logits.gather(2, node.unsqueeze(2)).squeeze(2) - logits.logsumexp(2)
                log_prob = step if log_prob is None else log_prob + step
        env.step(node)
        actions.append(node)
    return log_prob, actions


def replay(pointer, env, actions, kind, predictor=None, has_forced_start=False, trace=None,
           phi=None):
    """Log-probabilities of given trajectories (B, N, T). An action outside the mask is scored as if
    only visited nodes were closed. trace, a list, receives (allowed, probabilities) per step. phi
    (B, N, T, n, F): features of the decisions, for a network that has a use for them."""
    log_prob = 0
    for t in range(actions.shape[2]):
        node, state = actions[:, :, t].contiguous(), env.state()
        allowed = open_nodes(env, kind, state, predictor)
        chosen = F.one_hot(node, env.n).bool()
        is_open = allowed.gather(2, node.unsqueeze(2))
        allowed = torch.where(is_open, allowed, ~env.visited | chosen)
        if has_forced_start and t == 0:
            allowed = chosen
        log_p = pointer.logits(env.at, state, allowed,
                               None if phi is None else phi[:, :, t]).log_softmax(2)
        log_prob = log_prob + log_p.gather(2, node.unsqueeze(2)).squeeze(2)
        if trace is not None:
            trace.append((allowed, log_p.detach().exp()))
        env.step(node)
    return log_prob


def aux_labels(env):
    """Unvisited nodes (B, N, n) and whether the look-ahead removes them (before its fall-back)."""
    unvisited = ~env.visited
    allowed = env.mask("lookahead")
    return unvisited, ~allowed | env.hopeless if env.is_tour else ~allowed


def aux_replay(pointer, env, actions, weights):
    """sum over steps of weight_y * logistic loss of the auxiliary decoder along given trajectories;
    weights (T, 2) for y = 0 and 1. Also returns the number of labels, (T, 2)."""
    loss, counts = 0, torch.zeros(actions.shape[2], 2, dtype=torch.long)
    for t in range(actions.shape[2]):
        node = actions[:, :, t].contiguous()
        unvisited, y = aux_labels(env)
        left = torch.as_tensor(env.left).expand(env.B, env.N).unsqueeze(2)
        unvisited = unvisited & (left >= 2)
        counts[t, 0], counts[t, 1] = (unvisited & ~y).sum(), (unvisited & y).sum()
        z = pointer.point(env.at, env.state())
        w = torch.where(y, weights[t, 1], weights[t, 0]) * unvisited
        target = y.to(z.dtype)
        loss = loss + F.binary_cross_entropy_with_logits(z, target, w, reduction="sum")
        env.step(node)
    return loss, counts


# ---- losses ----


def ucpo_loss(f, v, score, penalty=1.0):
    """Canonical UCPO: the best sample against all others, mean over instances. score is alpha
    times the log-probability."""
    is_feasible = v <= 0
    value = torch.where(is_feasible, f, f + penalty * v)
    some = is_feasible.any(1, keepdim=True)
    anchor = torch.where(some & ~is_feasible, math.inf, value).argmin(1, keepdim=True)
    beta = value / value.gather(1, anchor)
    good = is_feasible.sum(1, keepdim=True)
    bad = f.shape[1] - good
    size = torch.where(is_feasible, good - 1, torch.where(some, bad, bad - 1)).clamp(min=1)
    pair = F.softplus(-beta * (score.gather(1, anchor) - score)) / size
    return pair.scatter(1, anchor, 0.0).sum(1).mean()


def reinforce_loss(f, v, log_prob, penalty=1.0):
    """REINFORCE on the Lagrangian with the mean over an instance's samples as baseline."""
    cost = f + penalty * v
    return ((cost - cost.mean(1, keepdim=True)) * log_prob).mean()


def train_step(model, optimiser, env, kind, loss="ucpo", alpha=None):
    env.reset()
    h = model.encoder(*env.features())
    log_prob, _ = rollout(Pointer(model, h), env, kind)
    f, v = env.result()
    if loss == "ucpo":
        value = ucpo_loss(f, v, log_prob * (alpha or 1.0 / env.n))
    else:
        value = reinforce_loss(f, v, log_prob)
    optimiser.zero_grad(set_to_none=True)
    value.backward()
    optimiser.step()
    return value.item()


@torch.no_grad()
def infer(model, env, kind, images=8):
    """Best feasible objective per instance (inf: none) over all images and samples. The images of
    an instance share environment and tables; each has its own encoding."""
    best = env.dist.new_full((env.B,), math.inf)
    for image in range(images):
        env.reset()
        rollout(Pointer(model, model.encoder(*env.features(image))), env, kind)
        f, v = env.result()
        best = torch.minimum(best, torch.where(v <= 0, f, math.inf).amin(1))
    return best
