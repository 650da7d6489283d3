// What a candidate may leave outside the tree, as far as it is this run's alone: processes, scratch folders.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { remove } from './node-tree.mjs';

export function createSurroundings(root) {
  const { TMPDIR, HOME } = process.env;
  const scratch = [...new Set([TMPDIR, HOME])].filter((folder) => isOwn(folder, root));
  const kept = new Set();
  const entries = () => scratch.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const known = processes();
  const ours = ancestors();
  // of others too: which of them are a candidate's cannot be told
  const isAlone = [...known].every((pid) => ours.has(pid));

  return {
    /** What is there now is no candidate's: a runner that stays, and its own files. */
    keep() {
      for (const pid of isAlone ? processes() : []) known.add(pid);
      for (const path of entries()) kept.add(path);
    },
    clear() {
      for (const path of entries()) if (!kept.has(path)) remove(path);
    },
    endGroup(pid) {
      kill(-pid);
    },
    async endProcesses() {
      for (let turn = 0; isAlone && turn < 200; turn += 1) {
        const left = [...processes()].filter((pid) => !known.has(pid));
        if (left.length === 0) return;
        for (const pid of left) kill(pid);
        await sleep(1);
      }
    },
  };
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

/** A scratch folder that is empty when a run begins is the run's own. */
function isOwn(folder, root) {
  if (folder === undefined || folder === '' || `${root}/`.startsWith(join(folder, '/'))) return false;
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

function processes() {
  try {
    return new Set(
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number),
    );
  } catch {
    return new Set();
  }
}

function ancestors() {
  const found = new Set([1]);
  for (let pid = process.pid; pid > 1 && !found.has(pid); ) {
    found.add(pid);
    try {
      const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
      pid = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      break;
    }
  }
  return found;
}
