import { serveReader } from '../base/serve-reader.ts';
import { type FactsRequest, readFacts } from './read-facts.ts';

serveReader<FactsRequest>(async function* (request) {
  yield await readFacts(request);
});
