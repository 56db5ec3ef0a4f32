import { jsonAnswer } from '../answer.ts';
import { jsonObject } from '../call.ts';
import { faultRuleSchema, outageSchema } from '../fault-rules.ts';
import type { Faults } from '../faults.ts';
import { invalid } from './fields.ts';
import type { Route } from './route.ts';

/** Real milliseconds an answer gets to leave before the port closes behind it. */
const ANSWER_LEAD_MS = 50;

/** Only mounted with `control: true`: how a test in another process looks into the service and breaks it. */
export function controlRoutes(faults: Faults): Route[] {
  return [
    {
      method: 'GET',
      path: '/__demo/ledger',
      open: true,
      answer: (_call, { ledger }) =>
        jsonAnswer({ received: ledger.received, commits: ledger.commits, entries: ledger.entries }),
    },
    {
      method: 'GET',
      path: '/__demo/tasks',
      open: true,
      answer: (_call, { tasks }) =>
        jsonAnswer({ tasks: tasks.list().map((task) => ({ ...task, status: tasks.statusOf(task) })) }),
    },
    {
      method: 'POST',
      path: '/__demo/faults',
      open: true,
      answer: (call) => {
        const rule = faultRuleSchema.safeParse(jsonObject(call));
        if (!rule.success) throw invalid('invalid_fault', rule.error.message);
        return jsonAnswer({ id: faults.add(rule.data) });
      },
    },
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
    {
      method: 'POST',
      path: '/__demo/outage',
      open: true,
      answer: (call) => {
        const outage = outageSchema.safeParse(jsonObject(call));
        if (!outage.success) throw invalid('invalid_outage', outage.error.message);
        if (outage.data.answer === 'refused' && outage.data.forMs === undefined) {
          throw invalid('invalid_outage', 'A closed port cannot be told to open again: give "forMs".');
        }
        // Answered before the port closes, or the client would not get it.
        setTimeout(() => void faults.outage(outage.data), ANSWER_LEAD_MS);
        return jsonAnswer({ started: true });
      },
    },
  ];
}
