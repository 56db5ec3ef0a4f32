import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { speech, vectorsFor } from './served-answers.ts';
import { libraryAnswer, uploadAnswer } from './served-library.ts';

/**
 * A process of its own that answers from memory, so that it shares no event loop with the measured one: files of any
 * size, a service that accepts tasks at once and never ends them, its library, a voice and vectors.
 */
const files = new Map<number, Buffer>();
let tasks = 0;

const server = createServer((request, response) => {
  const path = request.url ?? '/';
  if (path.startsWith('/files/')) {
    const gigabits = Number(new URLSearchParams(path.split('?')[1]).get('gigabits') ?? Infinity);
    void sendFile(response, Number(path.split('/')[2]), gigabits);
  } else if (path === '/v1/embeddings') {
    void vectorsFor(request).then((body) => sendJson(response, body));
  } else if (path === '/v1/audio/speech') {
    request.resume().once('end', () => void sendSpeech(response));
  } else if (request.method === 'POST') {
    request.resume().once('end', () => {
      tasks += 1;
      if (path === '/v1/assets/uploads') sendJson(response, uploadAnswer(tasks));
      else sendTask(response, `task_${tasks}`, 'pending');
    });
  } else if (path.startsWith('/v1/asset')) {
    sendJson(response, libraryAnswer(path));
  } else {
    sendTask(response, path.slice(path.lastIndexOf('/') + 1), 'running');
  }
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(`http://127.0.0.1:${port}`);
});
process.once('disconnect', () => process.exit());

async function sendSpeech(response: ServerResponse): Promise<void> {
  const spoken = await speech();
  response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': spoken.length });
  response.end(spoken);
}

/** No faster than a line of so many gigabits a second: each of them carries 125 kB in a millisecond. */
async function sendFile(response: ServerResponse, bytes: number, gigabits: number): Promise<void> {
  const file = files.get(bytes) ?? Buffer.alloc(bytes, 'a frame of a film; ');
  files.set(bytes, file);
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes, etag: `"${bytes}"` });
  const start = performance.now();
  let sent = 0;
  while (gigabits < Infinity && sent < bytes) {
    const due = Math.min(bytes, Math.floor((performance.now() - start) * gigabits * 125_000));
    response.write(file.subarray(sent, due));
    sent = due;
    await wait(4);
  }
  response.end(file.subarray(sent));
}

/** A task record of the usual size. */
function sendTask(response: ServerResponse, id: string, status: string): void {
  const body = JSON.stringify({
    id,
    object: 'task',
    status,
    model: 'vgen-2.0-cl-fast',
    progress: 40,
    created_at: 1_767_600_000,
    request_id: `req_${id}`,
    trace_id: `trace_${id}`,
    metadata: { duration: 5, aspect_ratio: '16:9', size: '720p' },
  });
  sendJson(response, body);
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
