import type { DemoSdkName } from "./demo-sdks.ts";

/** The services behind the shop. */
export const serviceErrors: readonly DemoError[] = [
  {
    sdk: "python",
    type: "KeyError",
    value: "'price'",
    level: "error",
    transaction: "/catalogue/import/",
    course: "steady",
    weight: 7,
    users: 5,
    file: "catalogue/importer.py",
    className: "catalogue.importer",
    function: "row_to_product",
    line: 64,
    source: [
      "def row_to_product(row):",
      '    name = row["name"].strip()',
      '    price = Decimal(row["price"])',
      "    return Product(name=name, price=price)",
      "",
    ],
  },
  {
    sdk: "python",
    type: "IntegrityError",
    value: "duplicate key value violates unique constraint, product #",
    level: "error",
    transaction: "/catalogue/products/",
    course: "since release",
    weight: 5,
    users: 11,
    file: "catalogue/views.py",
    className: "catalogue.views",
    function: "create_product",
    line: 129,
    source: [
      "def create_product(request):",
      "    product = ProductForm(request.POST).save(commit=False)",
      "    product.save()",
      "    return redirect(product)",
      "",
    ],
  },
  {
    sdk: "go",
    type: "*net.OpError",
    value: "read tcp 10.0.4.17:#->10.0.4.9:5432: read: connection reset by peer",
    level: "error",
    transaction: "GET /stock/{product}",
    course: "burst",
    weight: 8,
    users: 0,
    file: "stock/store.go",
    className: "stock",
    function: "(*Store).Quantity",
    line: 77,
    source: [
      "func (s *Store) Quantity(ctx context.Context, product string) (int, error) {",
      "\tvar quantity int",
      "\terr := s.db.QueryRow(ctx, selectQuantity, product).Scan(&quantity)",
      "\treturn quantity, err",
      "}",
    ],
  },
  {
    sdk: "go",
    type: "*errors.errorString",
    value: "reservation # is gone",
    level: "warning",
    transaction: "DELETE /reservations/{id}",
    course: "steady",
    weight: 3,
    users: 0,
    file: "stock/reservations.go",
    className: "stock",
    function: "(*Reservations).Release",
    line: 51,
    source: [
      "func (r *Reservations) Release(id int64) error {",
      "\treservation, found := r.open[id]",
      '\tif !found { return fmt.Errorf("reservation %d is gone", id) }',
      "\treturn reservation.release()",
      "}",
    ],
  },
  {
    sdk: "java",
    type: "NullPointerException",
    value: 'Cannot invoke "Address.country()" because "customer.address()" is null',
    level: "error",
    transaction: "POST /invoices",
    course: "since release",
    weight: 9,
    users: 48,
    file: "billing/TaxRules.java",
    className: "com.example.billing.TaxRules",
    function: "rateFor",
    line: 93,
    source: [
      "  Rate rateFor(Customer customer) {",
      "    // since 1.5.0 an address is optional",
      "    return rates.get(customer.address().country());",
      "  }",
      "",
    ],
  },
  {
    sdk: "java",
    type: "OutOfMemoryError",
    value: "Java heap space",
    level: "fatal",
    transaction: "exportInvoices",
    course: "burst",
    weight: 1,
    users: 0,
    file: "billing/InvoiceExport.java",
    className: "com.example.billing.InvoiceExport",
    function: "run",
    line: 38,
    source: [
      "  public void run() {",
      "    var invoices = repository.findAll();",
      "    var rows = invoices.stream().map(this::row).toList();",
      "    writer.write(rows);",
      "  }",
    ],
  },
  {
    sdk: "php",
    type: "ErrorException",
    value: 'Undefined array key "reason"',
    level: "warning",
    transaction: "/returns",
    course: "mended",
    weight: 5,
    users: 25,
    file: "app/Http/Controllers/ReturnController.php",
    className: "",
    function: "App\\Http\\Controllers\\ReturnController::store",
    line: 47,
    source: [
      "    public function store(Request $request)",
      "    {",
      "        $reason = Reason::from($request->all()['reason']);",
      "        return $this->returns->open($reason);",
      "    }",
    ],
  },
  {
    sdk: "php",
    type: "PDOException",
    value: "SQLSTATE[40001]: deadlock detected, process #",
    level: "error",
    transaction: "/returns/{id}/accept",
    course: "steady",
    weight: 2,
    users: 9,
    file: "app/Services/Returns.php",
    className: "",
    function: "App\\Services\\Returns::accept",
    line: 81,
    source: [
      "    public function accept(int $id): void",
      "    {",
      "        DB::transaction(fn () => $this->refund($this->lock($id)));",
      "    }",
      "",
    ],
  },
  {
    sdk: "ruby",
    type: "Net::OpenTimeout",
    value: "execution expired",
    level: "error",
    transaction: "MailersController#deliver",
    course: "steady",
    weight: 4,
    users: 0,
    file: "app/mailers/order_mailer.rb",
    className: "",
    function: "deliver",
    line: 22,
    source: [
      "  def deliver(order)",
      "    mail = render_mail(order)",
      "    smtp.send_message(mail.to_s, from, order.email)",
      "  end",
      "",
    ],
  },
  {
    sdk: "ruby",
    type: "NoMethodError",
    value: "undefined method 'locale' for nil",
    level: "error",
    transaction: "NewslettersController#create",
    course: "since release",
    weight: 3,
    users: 18,
    file: "app/controllers/newsletters_controller.rb",
    className: "",
    function: "create",
    line: 15,
    source: [
      "  def create",
      "    subscriber = Subscriber.find_by(email: params[:email])",
      "    I18n.with_locale(subscriber.locale) { subscriber.greet }",
      "  end",
      "",
    ],
  },
  {
    sdk: "rust",
    type: "panic",
    value: "index out of bounds: the len is # but the index is 64",
    level: "fatal",
    transaction: "search",
    course: "burst",
    weight: 2,
    users: 0,
    file: "src/ranking.rs",
    className: "",
    function: "search::ranking::best",
    line: 118,
    source: [
      "fn best(hits: &[Hit], page: usize) -> &Hit {",
      "    let first = page * HITS_PER_PAGE;",
      "    &hits[first]",
      "}",
      "",
    ],
  },
  {
    sdk: "rust",
    type: "ParseQueryError",
    value: "unbalanced quote at character #",
    level: "warning",
    transaction: "GET /search",
    course: "steady",
    weight: 4,
    users: 31,
    file: "src/query.rs",
    className: "",
    function: "search::query::parse",
    line: 63,
    source: [
      "pub fn parse(text: &str) -> Result<Query, ParseQueryError> {",
      "    let tokens = tokenize(text)?;",
      "    let query = Query::from_tokens(&tokens)?;",
      "    Ok(query.simplified())",
      "}",
    ],
  },
];

/** When the events of an error happened. */
export type Course =
  /** Over two weeks, with days and nights. */
  | "steady"
  /** Since the newest release. */
  | "since release"
  /** Within three hours, five days ago. */
  | "burst"
  /** Until the previous release. The newest release fixed it. */
  | "mended";

/** An error of the demo. */
export interface DemoError {
  readonly sdk: DemoSdkName;
  readonly type: string;
  /** `#` is replaced by a number that differs from event to event. */
  readonly value: string;
  readonly level: "fatal" | "error" | "warning";
  readonly transaction: string;
  readonly course: Course;
  /** Its share of all events. */
  readonly weight: number;
  readonly users: number;
  readonly file: string;
  readonly className: string;
  readonly function: string;
  readonly line: number;
  /** Five lines; the third line is the place of the error. */
  readonly source: readonly [string, string, string, string, string];
}
