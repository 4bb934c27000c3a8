"""Tiny decoders with random weights of real architectures, by real exporters."""
import os, shutil, sys, tempfile
import numpy as np, onnx, torch, transformers
from optimum.exporters.onnx import onnx_export_from_model

KINDS = []
VOCABULARY = 99
# Larger than in training: so scores are far apart, and texts differ.
SPREAD = 0.4
IDS = {"vocab_size": VOCABULARY, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}


def kind(name, exporter, what, **row):
    """Adds a kind. The function returns the path of the file that was written, and what each of some texts is given."""
    def add(make):
        KINDS.append({"name": name, "exporter": exporter, "what": what, "make": make, "row": row})
        return make
    return add


def exported(folder, model, task, **options):
    """Exports a model by Optimum, and returns the folder of its files."""
    target = os.path.join(folder, f"{model.config.model_type}-{'-'.join(options) or 'plain'}")
    if not os.path.exists(target):
        onnx_export_from_model(model.eval(), target, task=task, do_validation=False, **options)
    return target


def llama():
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=128, initializer_range=SPREAD, **IDS)
    return transformers.LlamaForCausalLM(config)


def gpt2():
    torch.manual_seed(2)
    config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=2, n_positions=128, initializer_range=SPREAD, **IDS)
    return transformers.GPT2LMHeadModel(config)


def marian():
    torch.manual_seed(3)
    config = transformers.MarianConfig(
        d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=48,
        decoder_ffn_dim=48, max_position_embeddings=64, init_std=SPREAD, decoder_start_token_id=2, decoder_vocab_size=VOCABULARY, forced_eos_token_id=None, **IDS)
    return transformers.MarianMTModel(config)


def t5():
    torch.manual_seed(4)
    config = transformers.T5Config(
        d_model=32, d_kv=16, d_ff=48, num_layers=2, num_decoder_layers=2, num_heads=2, decoder_start_token_id=2, initializer_factor=1.0, **IDS)
    return transformers.T5ForConditionalGeneration(config)


def whisper():
    torch.manual_seed(5)
    config = transformers.WhisperConfig(
        d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=48, decoder_ffn_dim=48,
        num_mel_bins=8, max_source_positions=1500, max_target_positions=64, init_std=SPREAD, decoder_start_token_id=3, suppress_tokens=None, begin_suppress_tokens=None, **IDS)
    return transformers.WhisperForConditionalGeneration(config)
