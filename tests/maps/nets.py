"""Models as people write them, and how far they are from equivariant."""

import numpy as np
import torch
from torch import nn

import softsym as ss


class Block(nn.Module):
    """A residual block as torchvision has it."""

    def __init__(self, n_in, n_out, mode="zeros"):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, padding=1, bias=False, padding_mode=mode)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False, padding_mode=mode)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.downsample = (
            nn.Sequential(nn.Conv2d(n_in, n_out, 1, bias=False), nn.BatchNorm2d(n_out)) if n_in != n_out else None
        )

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, mode="zeros"):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1, padding_mode=mode)
        self.layer1 = nn.Sequential(Block(16, 16, mode), Block(16, 24, mode))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(24, 5)

    def forward(self, x):
        return self.fc(torch.flatten(self.pool(self.layer1(self.stem(x))), 1))


class FlatCNN(nn.Module):
    """Convolution, pooling, flattening, linear layers; functions instead of modules."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1, padding_mode="circular")
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1, groups=2)
        self.fc1 = nn.Linear(16 * 4 * 4, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.gelu(self.conv2(x))
        x = x.view(x.size(0), -1)
        return self.fc2(torch.tanh(self.fc1(x)))


class Decoder(nn.Module):
    """Image to image, with a transposed and a depthwise convolution, a skip connection by concatenation and a group norm."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 8, 2, stride=2)
        self.each = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.norm = nn.GroupNorm(1, 8)
        self.up = nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.last = nn.Conv2d(9, 1, 1)

    def forward(self, x):
        y = self.up(self.norm(torch.relu(self.each(self.down(x)))))
        return self.last(torch.cat([y, x], dim=1))


class Sequence(nn.Module):
    """A recurrent network that reads the last step."""

    def __init__(self, kind=nn.LSTM, **options):
        super().__init__()
        self.rnn = kind(3, 16, batch_first=True, **options)
        self.head = nn.Linear((options.get("proj_size") or 16) * (2 if options.get("bidirectional") else 1), 3)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])


class SetTransformer(nn.Module):
    def __init__(self, norm_first=False, n_out=3):
        super().__init__()
        self.embed = nn.Linear(3, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 48, dropout=0.0, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, n_out)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x)).mean(dim=1))


class Reader(nn.Module):
    """torch's own decoder: some points look at the others."""

    def __init__(self, norm_first=False):
        super().__init__()
        layer = nn.TransformerDecoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=norm_first)
        self.embed, self.decoder, self.head = (nn.Linear(3, 16), nn.TransformerDecoder(layer, 2), nn.Linear(16, 3))

    def forward(self, x):
        x = self.embed(x)
        return self.head(self.decoder(x[:, :2], x[:, 2:]).mean(dim=1))


class OwnAttention(nn.Module):
    """Attention written out, with heads made by views and a learned token; no norm."""

    def __init__(self, n_out=3):
        super().__init__()
        self.embed = nn.Linear(3, 16, bias=False)
        self.qkv = nn.Linear(16, 48)
        self.token = nn.Parameter(0.1 * torch.ones(1, 1, 16))
        self.out = nn.Linear(16, 16)
        self.head = nn.Linear(16, n_out)

    def forward(self, x):
        x = self.embed(x)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1)
        n, t, c = x.shape
        q, k, v = (z.view(n, t, 2, c // 2).transpose(1, 2) for z in self.qkv(x).chunk(3, dim=-1))
        weights = torch.softmax(q @ k.transpose(-2, -1) / (c // 2) ** 0.5, dim=-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(n, t, c))
        return self.head(x[:, 0])


class Causal(nn.Module):
    """A language model's block as people write it: words, places, masked heads, a mask that is a buffer."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(8, 16), nn.Embedding(6, 16)
        self.norm, self.qkv, self.proj = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16)
        self.head = nn.Linear(16, 8, bias=False)
        self.register_buffer("mask", torch.tril(torch.ones(6, 6)).view(1, 1, 6, 6))

    def forward(self, words):
        n, t = words.size()
        x = self.words(words) + self.places(torch.arange(t))
        q, k, v = self.qkv(self.norm(x)).split(16, dim=2)
        q, k, v = (z.view(n, t, 2, 8).transpose(1, 2) for z in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) * (1.0 / 8**0.5)
        scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
        y = torch.softmax(scores, dim=-1) @ v
        x = x + self.proj(y.transpose(1, 2).contiguous().view(n, t, 16))
        return self.head(x)


class Cumulative(nn.Module):
    """A module without a rule."""

    def __init__(self, size):
        super().__init__()
        self.mix = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return torch.lerp(x, torch.cumsum(x, dim=-1), self.mix)


class CustomInTheMiddle(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.middle, self.last = nn.Linear(3, 8), Cumulative(8), nn.Linear(8, 3)

    def forward(self, x):
        return self.last(self.middle(torch.relu(self.first(x))))


@torch.no_grad()
def scrambled(model, seed=0):
    """A model with all parameters and running statistics random, in double precision and eval mode."""
    generator = torch.Generator().manual_seed(seed)
    model = model.double().eval()
    for parameter in model.parameters():
        parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    for name, buffer in model.named_buffers():
        if name.endswith(("running_mean", "running_var")):
            buffer.copy_(
                (0.5 if name.endswith("var") else 0.0)
                + 0.5 * torch.rand(buffer.shape, generator=generator, dtype=torch.float64)
            )
    return model


@torch.no_grad()
def gap(model, shape, rep_in, rep_out, G, n=5, seed=0):
    """The largest difference between moving the input and moving the output, over elements of the group."""
    G = ss.group(G)
    x = torch.randn(4, *shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    still, largest = model(x), 0.0
    for g in G.elements if G.is_finite else G.sample(n, seed=seed):
        transformed = act(rep_in, G, g, x)
        largest = max(largest, float((model(transformed) - act(rep_out, G, g, still)).abs().max()))
    return largest / float(still.abs().max())


def act(rep, G, g, x):
    """An element on a batch: on flattened rows if the sizes fit, else on the last axis."""
    matrix = torch.tensor(np.asarray(ss.rep(rep).rho(G, g)))
    if x[0].numel() == len(matrix):
        return (x.flatten(1) @ matrix.T).view(x.shape)
    return x @ matrix.T


class SmallCNN(nn.Module):
    """Two convolutions, pooling, two linear layers: images (n, 1, 12, 12) to (n, 2)."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(32 * 9, 64), nn.Linear(64, 2)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))
