import { t } from '../../src/contract/messages/words.ts';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelsToCheckAgainst } from '../../src/cli/service-access.ts';
import { keptText } from '../../src/host/key.ts';
import { openSession } from '../../src/cli/session.ts';
import { asMedium } from '../engine/library/media.ts';
import { CliScene, deskWithService } from './support.ts';

const LIST = 'shot,kind,model,prompt\n001,image,image-demo,A red door\n';

function written(scene: CliScene, text = LIST): string {
  writeFileSync(scene.path('night.csv'), text);
  return 'night.csv';
}

describe('the models of a list', () => {
  it('are compared with those of the account, by a run and by a dry run', async () => {
    const scene = await deskWithService();
    for (const more of [['--dry-run'], []]) {
      expect(await scene.run('run', written(scene), '--project', 'film', ...more)).toBe(0);
      expect(scene.said).not.toContain('warning');
    }
    expect(await scene.run('run', written(scene, LIST.replace('demo', 'dmeo')), '--project', 'film', '--dry-run')).toBe(
      0,
    );
    expect(scene.stdout.text).toContain('The service does not list the model image-dmeo for your account');
    expect(scene.stdout.text).toContain('image-demo?');
  });

  it('are compared with the ones we know, and nobody is asked, with --offline and without a key or an address', async () => {
    const scene = await deskWithService();
    const list = written(scene);
    const warned = async (...more: string[]) => {
      expect(await scene.run('run', list, '--project', 'film', '--dry-run', ...more)).toBe(0);
      expect(scene.stdout.text).toContain('Dailies does not know the model image-demo');
      expect(scene.stderr.text).toBe('');
    };
    await warned('--offline');
    scene.env['DAILIES_API_KEY'] = '';
    await warned();
    scene.env['DAILIES_BASE_URL'] = '';
    await warned();
    expect(scene.service.ledger.received).toBe(0);
    expect(await scene.refuses('run', list, '--project', 'film', '--offline')).toContain(t('cli.offlineRun'));
  });

  it('may lack what a row asks for: a warning', async () => {
    const scene = await deskWithService({ modelList: 'nested' });
    writeFileSync(scene.path('ref.png'), asMedium('ref.png', 'picture'));
    const list = written(scene, 'shot,kind,model,operation,image\n001,image,image-demo-pro,variation,ref.png\n');
    expect(await scene.says('run', list, '--project', 'film')).toMatch(
      /warning {2}row 2.*operation.*not among what the service lists for image-demo-pro: generate, edit\. /,
    );
    expect(await scene.says('models')).toMatch(/vgen-2\.0-cl-mini .*resolution 480p 720p/);
  });

  it('are no reason to stop when the service is asked for them and answers nothing of use', async () => {
    const scene = await deskWithService();
    scene.fault({ method: 'GET', path: '/v1/models' }, { fault: 'reset' });
    expect(await scene.run('run', written(scene), '--project', 'film', '--dry-run')).toBe(0);
    expect(scene.stderr.text).toMatch(/^The models of your account are not known\. .*\n$/);
    expect(scene.stdout.text).toContain('1 request would be sent');
  });

  it('are not waited for without end', async () => {
    const scene = new CliScene();
    const session = openSession(scene.shell(), {}, new AbortController().signal, {
      command: 'dailies run',
      json: false,
    });
    const late = new AbortController();
    const never = (signal: AbortSignal) =>
      new Promise<null>((_answer, stop) => signal.addEventListener('abort', () => stop(new Error('stopped'))));
    const asking = modelsToCheckAgainst(session, never, late.signal);
    late.abort();
    expect(await asking).toBeUndefined();
    expect(scene.stderr.text).toContain('The service does not answer');
  });

  it('are not asked for with a key that was kept for another address', async () => {
    const scene = await deskWithService();
    const { service } = scene;
    scene.keychain.secret = keptText(service.apiKey, service.url);
    scene.env['DAILIES_API_KEY'] = '';
    expect(await scene.run('run', written(scene), '--project', 'film')).toBe(0);
    const asked = service.ledger.received;
    scene.env['DAILIES_BASE_URL'] = `${service.url}/other`;
    expect(await scene.run('run', written(scene), '--project', 'film', '--dry-run')).toBe(0);
    expect(scene.stderr.text).toContain('was set for');
    expect(service.ledger.received).toBe(asked);
  });
});
