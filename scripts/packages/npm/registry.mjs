// An npm registry with the packages of one folder: prints its address, and serves until it is ended.
// usage: registry.mjs FOLDER VERSION...; the last one is the latest
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';

const [folder, ...released] = process.argv.slice(2);
const versions = released.flatMap((version) => [version, `${version}-linux-x64`, `${version}-linux-arm64`]);

/** The package.json of a package: the file of that name at the beginning of one of its blocks. @param {Buffer} tgz */
function manifest(tgz) {
  const tar = gunzipSync(tgz);
  for (let at = 0; at < tar.length; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = parseInt(tar.toString('utf8', at + 124, at + 136), 8) || 0;
    if (name === 'package/package.json') return JSON.parse(tar.toString('utf8', at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('there is no package.json');
}

/** @type {Map<string, Buffer>} */
const files = new Map();
for (const name of versions) {
  try {
    files.set(name, readFileSync(join(folder, `aide-decide-${name}.tgz`)));
  } catch {
    // It was not packed.
  }
}

const server = createServer((request, response) => {
  const [, name, , file] = (request.url ?? '').split('/');
  if (name !== 'aide-decide') return response.writeHead(404).end();
  if (file) return response.end(files.get(file.slice('aide-decide-'.length, -'.tgz'.length)));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const packages = Object.fromEntries(
    [...files].map(([name, tgz]) => {
      const integrity = `sha512-${createHash('sha512').update(tgz).digest('base64')}`;
      const tarball = `http://127.0.0.1:${port}/aide-decide/-/aide-decide-${name}.tgz`;
      return [name, { ...manifest(tgz), dist: { tarball, integrity } }];
    }),
  );
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name: 'aide-decide', 'dist-tags': { latest: released.at(-1) }, versions: packages }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`);
});
