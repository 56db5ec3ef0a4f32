import { type ReaderProcess, startReadersWith } from '../../src/engine/base/reader-process.ts';
import type { FactsRequest } from '../../src/engine/library/read-facts.ts';

/** To start a process for the facts of each few files would take most of the time of the tests. */
const before = startReadersWith((entry) =>
  entry.pathname.endsWith('/facts-reader.ts') ? inThisProcess() : before(entry),
);

function inThisProcess(): ReaderProcess {
  let listener: Parameters<ReaderProcess['onMessage']>[0] = () => undefined;
  return {
    send(message) {
      if (!('request' in message)) return;
      void import('../../src/engine/library/read-facts.ts')
        .then(({ readFacts }) => readFacts(message.request as FactsRequest))
        .then(
          (piece) => listener({ piece, isLast: true }),
          (error: unknown) => listener({ failure: (error as Error).message }),
        );
    },
    onMessage: (next) => void (listener = next),
    onEnd: () => undefined,
    kill: () => undefined,
    hold: () => undefined,
  };
}
