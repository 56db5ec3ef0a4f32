import { serveReader } from '../base/serve-reader.ts';
import type { MediaFacts } from '../db/asset-store.ts';
import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny';

serveReader<string>(async function* (path): AsyncGenerator<MediaFacts> {
  using input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  const duration = await input.computeDuration();
  const video = await input.getPrimaryVideoTrack();
  yield { duration, ...(video && { width: video.displayWidth, height: video.displayHeight }) };
});
