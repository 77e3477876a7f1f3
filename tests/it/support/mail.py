"""Takes mail, with TLS and without, and writes each into a folder: mail.py FOLDER. Says its ports on a line of JSON."""

import asyncio
import json
import ssl
import sys
from pathlib import Path

import trustme
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

folder = Path(sys.argv[1])


class Sink:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 there is nobody of this name"
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, server, session, envelope):
        if envelope.rcpt_tos[0].startswith("slow"):
            await asyncio.sleep(0.05)
        count = len(list(folder.glob("*.eml")))
        (folder / f"{count}.eml").write_bytes(envelope.original_content)
        return "250 taken"


def allow(server, session, envelope, mechanism, data):
    fits = isinstance(data, LoginPassword) and (data.login, data.password) == (b"ana", b"hush")
    return AuthResult(success=fits, handled=False)


def context(authority, name):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(made)
    return made


async def main():
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    good, bad = context(authority, "localhost"), context(authority, "other.example")
    loop, ports = asyncio.get_running_loop(), {}
    login = {"authenticator": allow, "auth_required": True}
    for name, settings, outer in [
        ("plain", {}, None),
        ("starttls", {"tls_context": good, "require_starttls": True, **login}, None),
        ("tls", {"auth_require_tls": False, **login}, good),
        ("other", {}, bad),
    ]:
        made = lambda settings=settings: SMTP(Sink(), hostname="localhost", loop=loop, **settings)
        server = await loop.create_server(made, "127.0.0.1", 0, ssl=outer)
        ports[name] = server.sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
