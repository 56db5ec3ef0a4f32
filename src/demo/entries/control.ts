import { jsonAnswer, invalid } from '../answer.ts';
import { jsonObject } from '../call.ts';
import { faultRuleSchema, outageSchema } from '../fault-rules.ts';
import type { Faults } from '../faults.ts';
import { get, post, type Route } from './route.ts';

/** Real milliseconds an answer gets to leave before the port closes behind it. */
const ANSWER_LEAD_MS = 50;

/** Only mounted with `control: true`: how a test in another process looks into the service and breaks it. */
export function controlRoutes(faults: Faults): Route[] {
  return [
    get(
      '/__demo/ledger',
      (_call, { ledger }) =>
        jsonAnswer({ received: ledger.received, commits: ledger.commits, entries: ledger.entries }),
      { open: true },
    ),
    get(
      '/__demo/tasks',
      (_call, { tasks }) =>
        jsonAnswer({ tasks: tasks.list().map((task) => ({ ...task, status: tasks.statusOf(task) })) }),
      { open: true },
    ),
    post(
      '/__demo/faults',
      (call) => {
        const rule = faultRuleSchema.safeParse(jsonObject(call));
        if (!rule.success) throw invalid('invalid_fault', rule.error.message);
        return jsonAnswer({ id: faults.add(rule.data) });
      },
      { open: true },
    ),
    {
      method: 'DELETE',
      path: '/__demo/faults',
      open: true,
      answer: async () => {
        faults.clear();
        await faults.lift();
        return jsonAnswer({ cleared: true });
      },
    },
    post(
      '/__demo/outage',
      (call) => {
        const outage = outageSchema.safeParse(jsonObject(call));
        if (!outage.success) throw invalid('invalid_outage', outage.error.message);
        if (outage.data.answer === 'refused' && outage.data.forMs === undefined) {
          throw invalid('invalid_outage', 'A closed port cannot be told to open again: give "forMs".');
        }
        // Answered before the port closes, or the client would not get it.
        setTimeout(() => void faults.outage(outage.data), ANSWER_LEAD_MS);
        return jsonAnswer({ started: true });
      },
      { open: true },
    ),
  ];
}
