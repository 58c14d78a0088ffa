/** An error of the shop in the pictures, and how often it happened in the last 24 hours. */
export interface ShopError {
  readonly type: string;
  readonly value: string;
  readonly level: "fatal" | "error" | "warning";
  readonly transaction: string;
  readonly events: number;
  readonly users: number;
  /** Minutes between its last event and now. */
  readonly lastMinutesAgo: number;
  /** The erroring line is the fourth of seven. */
  readonly source: {
    readonly file: string;
    readonly function: string;
    readonly line: number;
    readonly lines: string[];
  };
}

export const shopErrors: readonly ShopError[] = [
  {
    type: "TypeError",
    value: "Cannot read properties of undefined (reading 'id')",
    level: "error",
    transaction: "POST /checkout",
    events: 160,
    users: 40,
    lastMinutesAgo: 2,
    source: {
      file: "src/checkout/cart.ts",
      function: "checkout",
      line: 212,
      lines: [
        "async function checkout(request: CheckoutRequest): Promise<Receipt> {",
        "  const cart = await carts.find(request.cartId);",
        "  const customer = await customers.of(request.session);",
        "  const payment = await payments.charge(cart.total, customer.id);",
        "  await carts.close(cart, payment);",
        "  return receiptOf(cart, payment);",
        "}",
      ],
    },
  },
  {
    type: "TimeoutError",
    value: "search took longer than 2000 ms",
    level: "warning",
    transaction: "GET /search",
    events: 90,
    users: 34,
    lastMinutesAgo: 9,
    source: {
      file: "src/search/query.ts",
      function: "search",
      line: 58,
      lines: [
        "export async function search(words: string): Promise<Hit[]> {",
        "  const query = parseWords(words);",
        "  const signal = AbortSignal.timeout(2_000);",
        "  const response = await index.ask(query, { signal });",
        "  return response.hits.map(hitOf);",
        "}",
        "",
      ],
    },
  },
  {
    type: "PaymentError",
    value: "card declined by the bank",
    level: "error",
    transaction: "POST /charge",
    events: 60,
    users: 29,
    lastMinutesAgo: 14,
    source: {
      file: "src/payments/charge.ts",
      function: "charge",
      line: 91,
      lines: [
        "  const answer = await bank.charge(card, amount);",
        "  if (answer.status === 'accepted') return answer.payment;",
        "  if (answer.status === 'declined') {",
        "    throw new PaymentError('card declined by the bank');",
        "  }",
        "  throw new PaymentError(answer.status);",
        "}",
      ],
    },
  },
  {
    type: "ConnectionError",
    value: "connect ECONNREFUSED mail:25",
    level: "error",
    transaction: "POST /orders/confirm",
    events: 22,
    users: 16,
    lastMinutesAgo: 21,
    source: {
      file: "src/mail/send.ts",
      function: "sendConfirmation",
      line: 33,
      lines: [
        "export async function sendConfirmation(order: Order) {",
        "  const mail = confirmationOf(order);",
        "  await using connection =",
        "    await mailServer.connect();",
        "  await connection.send(mail);",
        "}",
        "",
      ],
    },
  },
  {
    type: "OutOfMemoryError",
    value: "heap limit of 512 MB reached",
    level: "fatal",
    transaction: "resize-images",
    events: 9,
    users: 0,
    lastMinutesAgo: 55,
    source: {
      file: "src/images/resize.ts",
      function: "resize",
      line: 17,
      lines: [
        "export function resize(image: Image, width: number): Image {",
        "  const height = Math.round((image.height * width) / image.width);",
        "  const pixels = decode(image);",
        "  const scaled = new Float32Array(width * height * 4);",
        "  scale(pixels, scaled, width, height);",
        "  return encode(scaled, width, height);",
        "}",
      ],
    },
  },
  {
    type: "RangeError",
    value: "quantity must be between 1 and 99",
    level: "error",
    transaction: "PUT /basket",
    events: 40,
    users: 25,
    lastMinutesAgo: 40,
    source: {
      file: "src/basket/quantity.ts",
      function: "checkQuantity",
      line: 8,
      lines: [
        "const [least, most] = [1, 99];",
        "",
        "export function checkQuantity(quantity: number): void {",
        "  if (quantity < least || quantity > most) throw new RangeError(range);",
        "}",
        "",
        "const range = `quantity must be between ${least} and ${most}`;",
      ],
    },
  },
];
