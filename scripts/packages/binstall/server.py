"""Serves a folder over HTTPS on a free port of this machine, and prints its address.

usage: server.py FOLDER CERTIFICATE KEY
"""

import functools
import http.server
import ssl
import sys

folder, certificate, key = sys.argv[1:]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"https://localhost:{server.server_port}", flush=True)
server.serve_forever()
