import { countsInWords } from '../../contract/in-words.ts';
import type { NightMessage } from '../../contract/night-messages.ts';
import { say, sayText } from '../../contract/messages/words.ts';

/** One message as it leaves the machine. */
export interface Note {
  readonly event: NightMessage['event'];
  readonly at: number;
  readonly title: string;
  readonly text: string;
  /** For programs: numbers and codes, and names only with details. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The words of a message. Names, and the words of service or system, are in it only `withDetails`. Pure. */
export function noteOf(message: NightMessage, withDetails: boolean): Note {
  const { event, at } = message;
  const { title, text, facts, detail } = wordsOf(message);
  if (!withDetails || detail === null) return { event, at, title, text, facts };
  return { event, at, title, text: `${text}\n${detail.text}`, facts: { ...facts, ...detail.facts } };
}

interface Words {
  readonly title: string;
  readonly text: string;
  readonly facts: Note['facts'];
  readonly detail: { readonly text: string; readonly facts: Note['facts'] } | null;
}

function wordsOf(message: NightMessage): Words {
  switch (message.event) {
    case 'needs_decision': {
      const { undecided, shots } = message;
      const title = say('message.decisionTitle', { count: undecided });
      const detail = shots.length === 0 ? null : { text: say('message.shots', { names: shots }), facts: { shots } };
      return { title, text: say('message.decisionText'), facts: { undecided }, detail };
    }
    case 'stalled': {
      const { minutes, unfinished } = message;
      const text = say('message.stalledText', { count: unfinished });
      return { title: say('message.stalledTitle', { minutes }), text, facts: { minutes, unfinished }, detail: null };
    }
    case 'finished': {
      const { counts, batches } = message;
      const { saved, failed, unknown: undecided, cancelled, unfinished } = counts;
      const facts = { saved, failed, undecided, cancelled, unfinished };
      const names = say('message.batches', { names: batches });
      const detail = batches.length === 0 ? null : { text: names, facts: { batches } };
      const title = say('message.finishedTitle', { unfinished });
      return { title, text: countsInWords(counts), facts, detail };
    }
    case 'cap_near': {
      const { scope, percent, name } = message;
      const title = say('message.capNearTitle', { percent });
      const detail = name === '' ? null : { text: say('message.capNearOf', { scope, name }), facts: { name } };
      return { title, text: say('message.capNearText', { scope }), facts: { scope, percent }, detail };
    }
    case 'test':
      return { title: say('message.testTitle'), text: say('message.testText'), facts: {}, detail: null };
    default: {
      const why = sayText(message.why);
      const { gate } = message;
      return { ...haltWords(message.event, gate), facts: { reason: gate }, detail: { text: why, facts: { why } } };
    }
  }
}

function haltWords(event: NightMessage['event'], gate: string): Pick<Words, 'title' | 'text'> {
  switch (event) {
    case 'key_rejected':
      return { title: say('message.keyTitle'), text: say('message.keyText') };
    case 'disk_low':
      return { title: say('message.diskTitle'), text: say('message.diskText') };
    case 'model_failing':
      return { title: say('message.modelTitle'), text: say('message.modelText') };
    case 'cap_reached':
      return { title: say('message.capTitle'), text: say('message.capText') };
    default: {
      const text = say(gate === 'no_credit' ? 'message.noCreditText' : 'message.stoppedText');
      return { title: say('message.stoppedTitle'), text };
    }
  }
}
