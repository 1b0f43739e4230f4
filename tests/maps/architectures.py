"""Architectures as their libraries have them, in plain torch: graph networks, resnet18, a vision transformer."""

from dataclasses import dataclass

import torch
from torch import nn

N_NODES = 7
EDGES = torch.randint(N_NODES, (2, 20), generator=torch.Generator().manual_seed(1))


def add_up(values, index, size):
    """Sums of the rows that belong to each node, as torch_scatter has it."""
    index = index.view(-1, *[1] * (values.dim() - 1)).expand_as(values)
    return values.new_zeros(size, *values.shape[1:]).scatter_add_(0, index, values)


class GCNConv(nn.Module):
    """A layer of Kipf and Welling, with degrees and loops as torch_geometric computes them."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin, self.bias = nn.Linear(n_in, n_out, bias=False), nn.Parameter(torch.zeros(n_out))

    def forward(self, x, edge_index):
        n = x.size(0)
        loops = torch.arange(n, device=x.device)
        source, target = torch.cat([edge_index, torch.stack([loops, loops])], dim=1)
        degree = torch.zeros(n, dtype=x.dtype).index_add_(0, target, x.new_ones(target.size(0)))
        scale = degree.pow(-0.5)
        scale[scale == float("inf")] = 0
        norm = scale[source] * scale[target]
        x = self.lin(x)
        out = torch.zeros_like(x)
        out.index_add_(0, target, norm.view(-1, 1) * x.index_select(0, source))
        return out + self.bias


class GCN(nn.Module):
    def __init__(self, n_in=6, n_out=3):
        super().__init__()
        self.conv1, self.conv2 = GCNConv(n_in, 16), GCNConv(16, n_out)

    def forward(self, x, edge_index):
        x = nn.functional.dropout(torch.relu(self.conv1(x, edge_index)), 0.0, training=self.training)
        return self.conv2(x, edge_index)


class DenseGCN(nn.Module):
    """The same with an adjacency matrix, dense or sparse, that is a buffer."""

    def __init__(self, sparse=False):
        super().__init__()
        matrix = torch.zeros(N_NODES, N_NODES, dtype=torch.float64).index_put_(tuple(EDGES), torch.tensor(1.0).double())
        self.register_buffer("adjacency", matrix.to_sparse() if sparse else matrix)
        self.first, self.last = nn.Linear(6, 16), nn.Linear(16, 3)

    def forward(self, x):
        x = torch.relu(self.adjacency.to(x.dtype) @ self.first(x))
        return torch.mm(self.adjacency.to(x.dtype), self.last(x))


class MessagePassing(nn.Module):
    """Gather by index, a message by an MLP, a sum at the nodes, an update with a residual connection."""

    def __init__(self, reduce="sum", n_in=6, n_hidden=16, n_edge=0, n_out=3):
        super().__init__()
        self.reduce = reduce
        self.embed = nn.Linear(n_in, n_hidden)
        self.message = nn.Sequential(
            nn.Linear(2 * n_hidden + n_edge, n_hidden), nn.SiLU(), nn.Linear(n_hidden, n_hidden)
        )
        self.update = nn.Sequential(nn.Linear(2 * n_hidden, n_hidden), nn.ReLU(), nn.LayerNorm(n_hidden))
        self.head = nn.Linear(n_hidden, n_out)

    def forward(self, x, edge_index, edge_attr=None):
        h = self.embed(x)
        source, target = edge_index[0], edge_index[1]
        parts = [h[target], h[source]] + ([] if edge_attr is None else [edge_attr])
        messages = self.message(torch.cat(parts, dim=-1))
        if self.reduce == "sum":
            gathered = add_up(messages, target, len(x))
        elif self.reduce == "mean":
            gathered = add_up(messages, target, len(x)) / add_up(
                torch.ones_like(messages[:, :1]), target, len(x)
            ).clamp(min=1)
        else:
            index = target[:, None].expand(-1, messages.shape[1])
            gathered = h.new_zeros(h.shape).scatter_reduce(0, index, messages, self.reduce, include_self=False)
        h = h + self.update(torch.cat([h, gathered], dim=-1))
        return self.head(h)


class GAT(nn.Module):
    """Attention over the neighbours, with heads and a softmax written out."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(6, 2 * 8, bias=False)
        self.att_source, self.att_target = (nn.Parameter(torch.zeros(1, 2, 8)) for _ in range(2))
        self.bias, self.head = nn.Parameter(torch.zeros(16)), nn.Linear(16, 3)

    def forward(self, x, edge_index):
        source, target = edge_index
        h = self.lin(x).view(-1, 2, 8)
        a = (h * self.att_source).sum(dim=-1)[source] + (h * self.att_target).sum(dim=-1)[target]
        a = torch.exp(nn.functional.leaky_relu(a, 0.2))
        a = a / (add_up(a, target, len(x))[target] + 1e-16)
        out = add_up(h[source] * a.unsqueeze(-1), target, len(x))
        return self.head(nn.functional.elu(out.flatten(1) + self.bias))


class EGNN(nn.Module):
    """Satorras et al. (2021): invariant features and positions; equivariant to O(3) whatever its weights are."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Sequential(nn.Linear(2 * 4 + 1, 16), nn.SiLU(), nn.Linear(16, 16), nn.SiLU())
        self.coord = nn.Sequential(nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 1, bias=False))
        self.node = nn.Sequential(nn.Linear(4 + 16, 16), nn.SiLU(), nn.Linear(16, 4))

    def forward(self, h, x, edge_index):
        row, col = edge_index
        difference = x[row] - x[col]
        radial = torch.sum(difference**2, dim=1, keepdim=True)
        messages = self.edge(torch.cat([h[row], h[col], radial], dim=1))
        x = x + add_up(difference / (radial.sqrt() + 1) * self.coord(messages), row, len(x))
        h = h + self.node(torch.cat([h, add_up(messages, row, len(x))], dim=1))
        return torch.cat([h, x], dim=-1)


class BasicBlock(nn.Module):
    """torchvision.models.resnet.BasicBlock."""

    def __init__(self, n_in, n_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, 1, bias=False)
        self.bn1, self.relu = nn.BatchNorm2d(n_out), nn.ReLU(inplace=True)
        self.conv2, self.bn2 = nn.Conv2d(n_out, n_out, 3, 1, 1, bias=False), nn.BatchNorm2d(n_out)
        self.downsample = None
        if stride != 1 or n_in != n_out:
            self.downsample = nn.Sequential(nn.Conv2d(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out))

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)


class ResNet18(nn.Module):
    """torchvision.models.resnet18, of any width (64 there)."""

    def __init__(self, width=64, n_out=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1, self.relu, self.maxpool = (nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        sizes = [width, width, 2 * width, 4 * width, 8 * width]
        for k in range(4):
            stride = 1 if k == 0 else 2
            layer = nn.Sequential(BasicBlock(sizes[k], sizes[k + 1], stride), BasicBlock(sizes[k + 1], sizes[k + 1]))
            setattr(self, f"layer{k + 1}", layer)
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(8 * width, n_out)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class Attention(nn.Module):
    """timm.layers.Attention."""

    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(size, 3 * size), nn.Linear(size, size)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q * (c // self.heads) ** -0.5 @ k.transpose(-2, -1)).softmax(dim=-1)
        return self.proj((scores @ v).transpose(1, 2).reshape(b, n, c))


class SelfAttention(nn.Module):
    """torch's own."""

    def __init__(self, size, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(size, heads, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class ViT(nn.Module):
    """A vision transformer: patches by a convolution, a class token, learned places, blocks with norms first."""

    def __init__(self, attention=Attention, pool="token", n_out=5):
        super().__init__()
        self.pool = pool
        self.patches = nn.Conv2d(3, 32, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, 32))
        self.places = nn.Parameter(torch.zeros(1, 3 * 3 + 1, 32))
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(32), attention(32, 2), nn.LayerNorm(32)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, n_out)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.places
        x = x + self.attention(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        x = self.norm(x)
        return self.head(x[:, 0] if self.pool == "token" else x[:, 1:].mean(dim=1))


@dataclass
class Output:
    """What models of huggingface give."""

    loss: torch.Tensor | None
    logits: torch.Tensor


class GivesObject(nn.Module):
    def __init__(self, kind=Output):
        super().__init__()
        self.net, self.kind = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.Linear(16, 3)), kind

    def forward(self, x):
        return self.kind(loss=None, logits=self.net(x))
