import { createHost } from "@verbena/core";
import { IpAddress } from "@verbena/ib";
import { RdsStack, TcpTransport } from "@verbena/rds";

/** A program that is killed: sends back every message to the socket it came from, over our RDS over TCP. Arguments: own address, own port, and who is told first that it is there, `ADDRESS:PORT`. */
async function main([address = "", port = "", greeted = ""]: readonly string[]): Promise<void> {
  const host = createHost();
  const transport = new TcpTransport(host, { addresses: [IpAddress.parse(address)] });
  const stack = new RdsStack({ host, transports: [transport] });
  const socket = stack.createSocket({ sendBufferSize: 4 << 20, receiveBufferSize: 4 << 20 });
  await socket.bind(address, Number(port));
  await socket.send("here", { to: greeted });
  for await (const item of socket) {
    if (item.type === "message") await socket.send(item.data, { to: item.source });
  }
}

void main(process.argv.slice(2));
