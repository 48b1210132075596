import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PUBLIC_DEAD, PUBLIC_V4 } from './ssrf-addresses.ts';

/**
 * Sets up the network of this process's namespace. Every address of both families is local, so that a wildcard listener
 * receives connections to all of them. Uses rtnetlink by perl, which Debian's base has; `ip` may be missing.
 */
export function makeNetwork(): void {
  try {
    execFileSync('perl', ['-e', PERL, PUBLIC_V4, PUBLIC_DEAD], { stdio: 'pipe' });
  } catch (byPerl) {
    try {
      for (const args of BY_IP) execFileSync('ip', args.split(' '), { stdio: 'pipe' });
    } catch (byIp) {
      throw new Error(
        `The network of the namespace cannot be made: neither by perl (${String(byPerl)}) nor by ip (${String(byIp)})`,
        { cause: byIp },
      );
    }
  }
}

const BY_IP = [
  'link set lo up',
  'route replace local default dev lo table local',
  '-6 route replace local default dev lo table local',
  `route replace unreachable ${PUBLIC_DEAD} table local`,
  '-6 address replace fe80::1/64 dev lo',
  // On a machine whose only IPv4 address is 127.0.0.1, getaddrinfo returns no IPv4 addresses.
  `address replace ${PUBLIC_V4}/32 dev lo`,
];

/** RTM_NEWLINK lo up, RTM_NEWROUTE (local default twice, unreachable), RTM_NEWADDR (fe80::1, the public IPv4). */
const PERL = String.raw`
  socket(my $netlink, 16, 3, 0) or die "netlink: $!\n";
  sub ask {
    my ($type, $flags, $body) = @_;
    my $message = pack('LSSLL', 16 + length $body, $type, $flags | 5, 1, 0) . $body;
    defined send($netlink, $message, 0, pack('SSLL', 16, 0, 0, 0)) or die "netlink: $!\n";
    recv($netlink, my $answer, 8192, 0);
    my (undef, $kind, undef, undef, undef, $error) = unpack('LSSLLl', $answer);
    die "netlink message $type: error " . -$error . "\n" if $kind != 2 || $error != 0;
  }
  ask(16, 0, pack('CCSlLL', 0, 0, 0, 1, 1, 1));
  ask(24, 0x500, pack('CCCCCCCCL', 2, 0, 0, 0, 255, 3, 254, 2, 0) . pack('SSL', 8, 4, 1));
  ask(24, 0x500, pack('CCCCCCCCL', 10, 0, 0, 0, 255, 3, 0, 2, 0) . pack('SSL', 8, 4, 1));
  ask(24, 0x500, pack('CCCCCCCCL', 2, 32, 0, 0, 255, 3, 0, 7, 0) . pack('SSC4', 8, 1, split /\./, $ARGV[1]));
  ask(20, 0x500, pack('CCCCl', 10, 64, 0, 253, 1) . pack('SSH32', 20, 1, 'fe80' . '0' x 27 . '1'));
  ask(20, 0x500, pack('CCCCl', 2, 32, 0, 254, 1) . pack('SSC4', 8, 2, split /\./, $ARGV[0]));
`;

/** Mounts our files over the system's, for this namespace only. Returns a function that removes them. */
export function overlay(files: Record<string, string>): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-ssrf-'));
  for (const [file, text] of Object.entries(files)) {
    if (!existsSync(file)) continue; // Systems without nsswitch.conf use DNS by default.
    const ours = path.join(folder, path.basename(file));
    writeFileSync(ours, text, { mode: 0o644 });
    execFileSync('mount', ['--bind', ours, file], { stdio: 'pipe' });
  }
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Returns the number of TCP connections begun in this namespace so far, by the kernel's own count. */
export function connectionsBegun(): number {
  const [names = '', values = ''] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'));
  return Number(values.split(' ')[names.split(' ').indexOf('ActiveOpens')]);
}
