"""Tiny decoders with random weights of real architectures, as real exporters write them."""
import os
import onnx, torch, transformers

KINDS = []
VOCABULARY = 61
# Larger than before training, so that texts do not repeat one token.
SPREAD = 0.4
IDS = {"vocab_size": VOCABULARY, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "decoder_start_token_id": 2}
# Else a token mostly follows itself.
UNTIED = {"tie_word_embeddings": False}
SIZES = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24}


def kind(name, exporter, what, sharing, **row):
    """Adds a kind. The function writes a file, and returns its path.

    sharing: which texts share a step
    given: whether texts are given what an encoder has returned
    far: how far the best score must be from the next one, as a share of the largest: more than kernels for WASM may differ
    """
    def add(make):
        KINDS.append({"name": name, "exporter": exporter, "what": what, "sharing": sharing, "make": make, "given": False, "far": 1e-3, **row})
        return make
    return add


def llama():
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, max_position_embeddings=128, initializer_range=SPREAD, **IDS))


def by_optimum(folder, model, task, file="model.onnx", **options):
    from optimum.exporters.onnx import onnx_export_from_model

    onnx_export_from_model(model.eval(), folder, task=f"{task}-with-past", do_validation=False, **options)
    return os.path.join(folder, file)


def by_builder(folder, precision, target, **options):
    """By the model builder of onnxruntime-genai, which reads a folder and wants a tokenizer."""
    from onnxruntime_genai.models.builder import create_model
    from tokenizers import Tokenizer, models

    source = os.path.join(folder, "source")
    llama().save_pretrained(source)
    words = Tokenizer(models.WordLevel({str(token): token for token in range(VOCABULARY)}))
    transformers.PreTrainedTokenizerFast(tokenizer_object=words).save_pretrained(source)
    create_model("llama", source, folder, precision, target, folder, hf_token="false", **options)
    # Its weights are beside it.
    path = os.path.join(folder, "one.onnx")
    onnx.save(onnx.load(os.path.join(folder, "model.onnx")), path)
    return path


@kind("llama", "optimum-onnx", "rotary positions, keys and values shared by heads", "left")
def _(folder):
    return by_optimum(folder, llama(), "text-generation")


@kind("llama-float16", "optimum-onnx", "the same in half precision", "left", far=0.01)
def _(folder):
    return by_optimum(folder, llama().half(), "text-generation", dtype="fp16")


@kind("llama-int8", "onnxruntime.quantization", "quantize_dynamic: one scale for the numbers of all rows", "alone", far=0.05)
def _(folder):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    path = os.path.join(folder, "int8.onnx")
    quantize_dynamic(by_optimum(folder, llama(), "text-generation"), path, weight_type=QuantType.QInt8)
    return path


@kind("llama-4-bits", "onnxruntime.quantization", "MatMulNBits", "left")
def _(folder):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    quantizer = MatMulNBitsQuantizer(onnx.load(by_optimum(folder, llama(), "text-generation")), block_size=32, is_symmetric=True)
    quantizer.process()
    path = os.path.join(folder, "4-bits.onnx")
    onnx.save(quantizer.model.model, path)
    return path


@kind("llama-dynamo", "torch.onnx.export, dynamo", "a mask whose batch has a name of its own", "left")
def _(folder):
    from transformers.cache_utils import DynamicCache

    class Flat(torch.nn.Module):
        """The cache as tensors, which have names."""

        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask, position_ids, key, value):
            cache = DynamicCache()
            cache.update(key, value, 0)
            found = self.model(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=cache)
            return found.logits, found.past_key_values.layers[0].keys, found.past_key_values.layers[0].values

    cache = torch.randn(2, 1, 5, 16)
    inputs = (torch.full((2, 3), 7), torch.ones(2, 8, dtype=torch.int64), torch.arange(5, 8).expand(2, 3), cache, cache + 1)
    any_size = torch.export.Dim.DYNAMIC
    per_token, per_position = {0: any_size, 1: any_size}, {0: any_size, 2: any_size}
    names = ["0.key", "0.value"]
    program = torch.onnx.export(
        Flat(llama().eval()), inputs, dynamo=True, dynamic_shapes=[per_token, per_token, per_token, per_position, per_position],
        input_names=["input_ids", "attention_mask", "position_ids", *(f"past_key_values.{name}" for name in names)],
        output_names=["logits", *(f"present.{name}" for name in names)])
    # Where each operator is in the program takes most of the file.
    for node in program.model.graph:
        node.metadata_props.clear()
    path = os.path.join(folder, "dynamo.onnx")
    program.save(path, external_data=False)
    return path


@kind("llama-builder", "onnxruntime-genai", "GroupQueryAttention, without positions", "right")
def _(folder):
    return by_builder(folder, "fp32", "cpu")


# Level 1: as the default, 4, kernels for x64 compute with 8 bits, and those for WASM do not.
@kind("llama-builder-4-bits", "onnxruntime-genai", "GroupQueryAttention and MatMulNBits", "right")
def _(folder):
    return by_builder(folder, "int4", "cpu", int4_block_size=32, int4_accuracy_level=1)


@kind("gpt2", "optimum-onnx", "learned positions", "left")
def _(folder):
    torch.manual_seed(2)
    config = transformers.GPT2Config(n_embd=32, n_layer=1, n_head=2, n_positions=128, initializer_range=SPREAD, **IDS)
    return by_optimum(folder, transformers.GPT2LMHeadModel(config), "text-generation")


@kind("marian-merged", "optimum-onnx", "an encoder's mask, and positions that are counted", "equal", given=True)
def _(folder):
    torch.manual_seed(3)
    config = transformers.MarianConfig(d_model=16, max_position_embeddings=64, init_std=SPREAD, decoder_vocab_size=VOCABULARY, share_encoder_decoder_embeddings=False, **UNTIED, **SIZES, **IDS)
    return by_optimum(folder, transformers.MarianMTModel(config), "text2text-generation", "decoder_model_merged.onnx")


@kind("t5-merged", "optimum-onnx", "distances between positions, which are counted", "equal", given=True)
def _(folder):
    torch.manual_seed(4)
    config = transformers.T5Config(d_model=16, d_kv=8, d_ff=24, num_layers=1, num_decoder_layers=1, num_heads=2, **UNTIED, **IDS)
    return by_optimum(folder, transformers.T5ForConditionalGeneration(config), "text2text-generation", "decoder_model_merged.onnx")


@kind("whisper-merged", "optimum-onnx", "an encoder without a mask", "equal", given=True)
def _(folder):
    torch.manual_seed(5)
    config = transformers.WhisperConfig(d_model=16, num_mel_bins=8, max_target_positions=64, init_std=SPREAD, **SIZES, **IDS)
    return by_optimum(folder, transformers.WhisperForConditionalGeneration(config), "automatic-speech-recognition", "decoder_model_merged.onnx")
