import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OpenRequests, pathsIn } from '../../src/main/desktop.ts';

describe('the paths of a launch', () => {
  it('is the whole paths among its arguments', () => {
    expect(pathsIn(['shots.csv', '/films/keeper', '../day 2.xlsx'], '/home/ann/lists')).toEqual([
      resolve('/home/ann/lists/shots.csv'),
      resolve('/films/keeper'),
      resolve('/home/ann/day 2.xlsx'),
    ]);
  });

  it('may be named by a file address, as some desktops do', () => {
    expect(pathsIn(['file:///films/day%201.csv'], '/')).toEqual(['/films/day 1.csv']);
  });

  it.each([
    ['--no-sandbox'],
    ['-psn_0_12345'],
    [''],
    ['a\0b'],
    ['https://example.com/shots.csv'],
    ['dailies://app/'],
    ['javascript:alert(1)'],
    ['file://server/share/%2F'],
    ['file://%zz'],
  ])('is nothing that is no path: %j', (arg) => {
    expect(pathsIn([arg], '/home/ann')).toEqual([]);
  });

  it('waits for a listener, and is delivered once', () => {
    const queue = new OpenRequests();
    queue.add(['/a.csv']);
    queue.add(['/b.csv']);
    const heard: (readonly string[])[] = [];
    const stop = queue.listen((paths) => heard.push(paths));
    queue.add([]);
    queue.add(['/c.csv']);
    stop();
    queue.add(['/d.csv']);
    expect(heard).toEqual([['/a.csv', '/b.csv'], ['/c.csv']]);
    queue.listen((paths) => heard.push(paths));
    expect(heard.at(-1)).toEqual(['/d.csv']);
  });
});
