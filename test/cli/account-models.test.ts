import { say } from '../../src/contract/messages/words.ts';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelsToCheckAgainst } from '../../src/cli/account-models.ts';
import { keptText } from '../../src/host/key-address.ts';
import { openSession } from '../../src/cli/session.ts';
import { asMedium } from '../engine/library/media.ts';
import { Desk, deskWithService } from './support.ts';

const LIST = 'shot,kind,model,prompt\n001,image,image-demo,A red door\n';

function written(desk: Desk, text = LIST): string {
  writeFileSync(desk.path('night.csv'), text);
  return 'night.csv';
}

describe('the models of a list', () => {
  it('are compared with those of the account, by a run and by a dry run', async () => {
    const desk = await deskWithService();
    for (const more of [['--dry-run'], []]) {
      expect(await desk.run('run', written(desk), '--project', 'film', ...more)).toBe(0);
      expect(desk.said).not.toContain('warning');
    }
    expect(await desk.run('run', written(desk, LIST.replace('demo', 'dmeo')), '--project', 'film', '--dry-run')).toBe(
      0,
    );
    expect(desk.stdout.text).toContain('The service does not list the model image-dmeo for your account');
    expect(desk.stdout.text).toContain('image-demo?');
  });

  it('are compared with the ones we know, and nobody is asked, with --offline and without a key or an address', async () => {
    const desk = await deskWithService();
    const list = written(desk);
    const warned = async (...more: string[]) => {
      expect(await desk.run('run', list, '--project', 'film', '--dry-run', ...more)).toBe(0);
      expect(desk.stdout.text).toContain('Dailies does not know the model image-demo');
      expect(desk.stderr.text).toBe('');
    };
    await warned('--offline');
    desk.env['DAILIES_API_KEY'] = '';
    await warned();
    desk.env['DAILIES_BASE_URL'] = '';
    await warned();
    expect(desk.service.ledger.received).toBe(0);
    expect(await desk.run('run', list, '--project', 'film', '--offline')).toBe(2);
    expect(desk.stderr.text).toContain(say('cli.offlineRun'));
  });

  it.each(['flat', 'nested'] as const)(
    'may lack what a row asks for: a warning, where the list is %s',
    async (modelList) => {
      const desk = await deskWithService({ modelList });
      writeFileSync(desk.path('ref.png'), asMedium('ref.png', 'picture'));
      const list = written(desk, 'shot,kind,model,operation,image\n001,image,image-demo-pro,variation,ref.png\n');
      expect(await desk.run('run', list, '--project', 'film')).toBe(0);
      expect(desk.stdout.text).toMatch(
        /warning {2}row 2.*operation.*not among what the service lists for image-demo-pro: generate, edit\. /,
      );
      expect(await desk.run('models')).toBe(0);
      expect(desk.stdout.text).toMatch(/vgen-2\.0-cl-mini .*resolution 480p 720p/);
    },
  );

  it('are no reason to stop when the service is asked for them and answers nothing of use', async () => {
    const desk = await deskWithService();
    desk.service.faults.add({ match: { method: 'GET', path: '/v1/models' }, do: { fault: 'reset' } });
    expect(await desk.run('run', written(desk), '--project', 'film', '--dry-run')).toBe(0);
    expect(desk.stderr.text).toMatch(/^The models of your account are not known\. .*\n$/);
    expect(desk.stdout.text).toContain('1 request would be sent');
  });

  it('are not waited for without end', async () => {
    const desk = new Desk();
    const session = openSession(desk.shell(), {}, new AbortController().signal);
    const late = new AbortController();
    const never = (signal: AbortSignal) =>
      new Promise<null>((_answer, stop) => signal.addEventListener('abort', () => stop(new Error('stopped'))));
    const asking = modelsToCheckAgainst(session, never, late.signal);
    late.abort();
    expect(await asking).toBeUndefined();
    expect(desk.stderr.text).toContain('The service does not answer');
  });

  it('are not asked for with a key that was kept for another address', async () => {
    const desk = await deskWithService();
    const { service } = desk;
    desk.keychain.secret = keptText(service.apiKey, service.url);
    desk.env['DAILIES_API_KEY'] = '';
    expect(await desk.run('run', written(desk), '--project', 'film')).toBe(0);
    const asked = service.ledger.received;
    desk.env['DAILIES_BASE_URL'] = `${service.url}/other`;
    expect(await desk.run('run', written(desk), '--project', 'film', '--dry-run')).toBe(0);
    expect(desk.stderr.text).toContain('was set for');
    expect(service.ledger.received).toBe(asked);
  });
});
