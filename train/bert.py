"""all-MiniLM-L6-v2 in PyTorch, and low-rank differences that are learned for it. Used by embedder/train.py and reader/train.py."""

import json
import math
import time

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MOST_TOKENS = 256
STARTED = time.time()


def report(*words):
    """Prints words, with the seconds since the start before them."""
    print(f"[{time.time() - STARTED:.0f} s]", *words, flush=True)


def load_tokenizer(model):
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "cls", "sep", "unk")}
    return PreTrainedTokenizerFast(tokenizer_file=str(model / "tokenizer.json"), **special)


def load_bert(model):
    """The quantised model, into which Varve merges the difference."""
    graph = onnx.load(model / "onnx/model_quantized.onnx").graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def dequantised(name):
        values, zero = tensors[f"{name}_quantized"].astype(np.float32), tensors[f"{name}_zero_point"].astype(np.float32)
        return (values - zero) * tensors[f"{name}_scale"]

    # The exporter numbers the matrices in the order in which the graph uses them. The name of the node identifies the
    # module.
    matrices = {}
    for node in graph.node:
        weights = [name for name in node.input if name.endswith("_quantized") and name in tensors]
        if weights and "MatMul" in node.op_type:
            matrices[node.name.replace("_quant", "").replace("/", ".")] = weights[0].removesuffix("_quantized")

    settings = json.loads((model / "config.json").read_text())
    for name in ("_name_or_path", "architectures", "transformers_version", "gradient_checkpointing"):
        settings.pop(name, None)
    bert = BertModel(BertConfig(**settings), add_pooling_layer=False)
    state = {}
    for name in bert.state_dict():
        if name in tensors:
            state[name] = torch.tensor(tensors[name])
        elif f"{name}_quantized" in tensors:
            state[name] = torch.tensor(dequantised(name))
        elif name.endswith(".weight"):
            module = name.removesuffix(".weight")
            found = next(matrix for node, matrix in matrices.items() if f".{module}.MatMul" in node)
            state[name] = torch.tensor(dequantised(found).T.copy())
    missing = set(bert.state_dict()) - set(state) - {"embeddings.position_ids"}
    assert not missing, f"The file has no weights for {missing}."
    bert.load_state_dict(state, strict=False)
    return bert.to(DEVICE)


def load_published(model):
    """A BERT model in full precision, from model.onnx. It is the teacher."""
    graph = onnx.load(model / "onnx/model.onnx").graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    state = {name.removeprefix("bert."): torch.tensor(values) for name, values in tensors.items() if not name.startswith("onnx::")}
    for node in graph.node:
        weights = [name for name in node.input if name in tensors]
        if node.op_type == "MatMul" and weights:
            module = node.name.strip("/").replace("/", ".").removeprefix("bert.").removesuffix(".MatMul")
            state[f"{module}.weight"] = torch.tensor(tensors[weights[0]].T.copy())
    settings = json.loads((model / "config.json").read_text())
    for name in ("_name_or_path", "architectures", "transformers_version"):
        settings.pop(name, None)
    bert = BertModel(BertConfig(**settings), add_pooling_layer=False)
    missing = set(bert.state_dict()) - set(state) - {"embeddings.position_ids"}
    assert not missing, f"The file has no weights for {missing}."
    bert.load_state_dict(state, strict=False)
    return bert.to(DEVICE)


class Difference(torch.nn.Module):
    """A linear layer with a learned difference: W + b·a. With `quantised`, the layer computes as Varve's kernel does."""

    def __init__(self, layer, rank, quantised=False):
        super().__init__()
        self.layer = layer
        self.quantised = quantised
        self.a = torch.nn.Parameter(torch.randn(rank, layer.in_features, device=DEVICE) / math.sqrt(layer.in_features))
        self.b = torch.nn.Parameter(torch.zeros(layer.out_features, rank, device=DEVICE))

    def forward(self, x):
        if not self.quantised:
            return self.layer(x) + (x @ self.a.T) @ self.b.T
        weight = (self.layer.weight + self.b @ self.a).float()
        scale = weight.abs().amax(1, keepdim=True) / 64
        low, high = x.float().amin(-1, keepdim=True), x.float().amax(-1, keepdim=True)
        step = (high - low).clamp_min(1e-6) / 124
        inputs = rounded(x.float(), step, low)
        return torch.nn.functional.linear(inputs, rounded(weight, scale, 0), self.layer.bias)


def rounded(values, step, low):
    """Rounds values to the nearest multiples of a step above `low`. The gradient passes as if nothing had been rounded."""
    return values + (((values - low) / step).round() * step + low - values).detach()


def add_differences(bert, rank, quantised=False):
    for parameter in bert.parameters():
        parameter.requires_grad_(False)
    for layer in bert.encoder.layer:
        attention = layer.attention.self
        for name in ("query", "key", "value"):
            setattr(attention, name, Difference(getattr(attention, name), rank, quantised))
        for module in (layer.attention.output, layer.intermediate, layer.output):
            module.dense = Difference(module.dense, rank, quantised)


@torch.no_grad()
def merge_differences(bert, file):
    """Adds the differences of an earlier training to the layers, as the start of another training."""
    before = load_file(file, device=DEVICE)
    for name, module in bert.named_modules():
        if f"{name}.a" in before:
            module.weight += before[f"{name}.b"].float() @ before[f"{name}.a"].float()


def save_differences(bert, file, others=None, merged=None):
    """Writes the learned differences in fp16, with other tensors. Differences that were merged before are included in the file."""
    tensors = dict(others or {})
    before = {} if merged is None else load_file(merged, device=DEVICE)
    for name, module in bert.named_modules():
        if isinstance(module, Difference):
            tensors[f"{name}.a"], tensors[f"{name}.b"] = module.a, module.b
            if f"{name}.a" in before:
                tensors[f"{name}.a"] = torch.cat([before[f"{name}.a"].float(), module.a])
                tensors[f"{name}.b"] = torch.cat([before[f"{name}.b"].float(), module.b], dim=1)
    file.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.detach().half().cpu().contiguous() for name, tensor in tensors.items()}, file)
