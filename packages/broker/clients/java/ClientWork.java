import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Works with a broker as programs do, with all parts of Kafka's Java clients, and prints what it observes. The caller
 * compares the lines of two brokers. Compiles with the clients of 2.8 and of 4.3.
 *
 *     java -cp CLASS_PATH ClientWork.java HOST:PORT PREFIX [NAME=VALUE of all clients…]
 */
public final class ClientWork {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long PATIENCE_MS = 60_000;
  private static final Map<String, Object> COMMON = new HashMap<>();
  private static String prefix;

  public static void main(String[] args) throws Exception {
    COMMON.put("bootstrap.servers", args[0]);
    prefix = args[1];
    for (String arg : Arrays.asList(args).subList(2, args.length)) {
      COMMON.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
    }
    try (Admin admin = Admin.create(COMMON)) {
      topics(admin);
      configs(admin);
      idempotent(admin);
      offsets(admin);
      rebalance(admin, "org.apache.kafka.clients.consumer.RangeAssignor");
      rebalance(admin, "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
      staticMember(admin);
      groups(admin);
      transactions(admin);
      largeRecords(admin);
      deletions(admin);
    }
    System.exit(0);
  }

  private static void topics(Admin admin) throws Exception {
    NewTopic orders = new NewTopic(name("orders"), 3, (short) 1).configs(Map.of("retention.ms", "86400000"));
    report("create", outcome(admin.createTopics(List.of(orders)).all()));
    report("create again", outcome(admin.createTopics(List.of(orders)).all()));
    report("create 2 replicas", outcome(admin.createTopics(List.of(new NewTopic(name("two"), 1, (short) 2))).all()));
    report("create bad name", outcome(admin.createTopics(List.of(new NewTopic("a/b", 1, (short) 1))).all()));
    NewTopic wrong = new NewTopic(name("wrong"), 1, (short) 1).configs(Map.of("retention.ms", "never"));
    report("create bad setting", outcome(admin.createTopics(List.of(wrong)).all()));
    NewTopic standard = new NewTopic(name("standard"), Optional.empty(), Optional.empty());
    report("create with defaults", outcome(admin.createTopics(List.of(standard)).all()));
    until("both topics are listed", () -> admin.listTopics().names().get().containsAll(List.of(name("orders"), name("standard"))));
    report("list", own(admin.listTopics().names().get()));
    report("more partitions", outcome(admin.createPartitions(Map.of(name("orders"), NewPartitions.increaseTo(4))).all()));
    report("fewer partitions", outcome(admin.createPartitions(Map.of(name("orders"), NewPartitions.increaseTo(2))).all()));
    until("four partitions", () -> partitions(admin, "orders") == 4);
    report("describe missing", outcome(described(admin, "missing")));
    report("nodes", admin.describeCluster().nodes().get().size());
    report("acls", outcome(admin.describeAcls(AclBindingFilter.ANY).values()));
  }

  private static int partitions(Admin admin, String topic) throws Exception {
    return described(admin, topic).get().partitions().size();
  }

  /** The method has another name in 4.3. */
  @SuppressWarnings("unchecked")
  private static KafkaFuture<TopicDescription> described(Admin admin, String topic) throws Exception {
    DescribeTopicsResult result = admin.describeTopics(List.of(name(topic)));
    Object values = DescribeTopicsResult.class.getMethod(isOld() ? "values" : "topicNameValues").invoke(result);
    return ((Map<String, KafkaFuture<TopicDescription>>) values).get(name(topic));
  }

  /** Whether these are the clients of 2.8. */
  private static boolean isOld() {
    return Arrays.stream(DescribeTopicsResult.class.getMethods()).noneMatch(each -> each.getName().equals("topicNameValues"));
  }

  private static void configs(Admin admin) throws Exception {
    ConfigResource orders = new ConfigResource(ConfigResource.Type.TOPIC, name("orders"));
    report("retention", setting(admin, orders, "retention.ms"));
    report("set", outcome(admin.incrementalAlterConfigs(Map.of(orders, List.of(
        op("retention.ms", "1000000", AlterConfigOp.OpType.SET),
        op("cleanup.policy", "compact", AlterConfigOp.OpType.APPEND)))).all()));
    until("the setting is seen", () -> setting(admin, orders, "cleanup.policy").contains("compact"));
    report("policy", setting(admin, orders, "cleanup.policy"));
    report("subtract and delete", outcome(admin.incrementalAlterConfigs(Map.of(orders, List.of(
        op("retention.ms", "", AlterConfigOp.OpType.DELETE),
        op("cleanup.policy", "compact", AlterConfigOp.OpType.SUBTRACT)))).all()));
    until("the default is back", () -> setting(admin, orders, "retention.ms").contains("604800000") || !setting(admin, orders, "cleanup.policy").contains("compact"));
    report("policy", setting(admin, orders, "cleanup.policy"));
    // The records of this program are years old.
    report("keep all", outcome(admin.incrementalAlterConfigs(Map.of(orders, List.of(op("retention.ms", "-1", AlterConfigOp.OpType.SET)))).all()));
    report("bad", outcome(admin.incrementalAlterConfigs(Map.of(orders, List.of(op("segment.bytes", "x", AlterConfigOp.OpType.SET)))).all()));
    report("unknown", outcome(admin.incrementalAlterConfigs(Map.of(orders, List.of(op("no.such", "1", AlterConfigOp.OpType.SET)))).all()));
    report("names", admin.describeConfigs(List.of(orders)).all().get().get(orders).entries().stream()
        .map(each -> each.name() + ":" + each.type()).sorted().collect(Collectors.joining(" ")));
  }

  private static AlterConfigOp op(String setting, String value, AlterConfigOp.OpType type) {
    return new AlterConfigOp(new ConfigEntry(setting, value), type);
  }

  private static String setting(Admin admin, ConfigResource resource, String setting) throws Exception {
    ConfigEntry entry = admin.describeConfigs(List.of(resource)).all().get().get(resource).get(setting);
    return setting + "=" + entry.value() + " " + entry.source();
  }

  private static void idempotent(Admin admin) throws Exception {
    for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      Map<String, Object> own = Map.of("enable.idempotence", "true", "compression.type", codec, "linger.ms", "5");
      try (Producer<String, String> producer = producer(own)) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          ProducerRecord<String, String> record = new ProducerRecord<>(name("orders"), i % 4, 1_700_000_000_000L + i, "key" + i, codec + i);
          record.headers().add("h", ("header " + i).getBytes(StandardCharsets.UTF_8)).add("none", null);
          sent.add(producer.send(record));
        }
        producer.flush();
        long last = -1;
        for (Future<RecordMetadata> each : sent) last = Math.max(last, each.get().offset());
        report("last offset with " + codec, last);
      }
    }
    try (Producer<String, String> producer = producer(Map.of("acks", "0", "enable.idempotence", "false"))) {
      producer.send(new ProducerRecord<>(name("standard"), "k", "acks 0")).get();
    }
    try (Producer<String, String> producer = producer(Map.of("acks", "1", "enable.idempotence", "false"))) {
      producer.send(new ProducerRecord<>(name("standard"), "k", "acks 1")).get();
    }
    report("read", digest(read("orders", "read_uncommitted", 1000)));
    report("acks", digest(read("standard", "read_uncommitted", 2)));
  }

  private static void offsets(Admin admin) throws Exception {
    TopicPartition first = partition("orders", 0);
    try (Consumer<String, String> consumer = consumer(Map.of())) {
      report("beginning and end", consumer.beginningOffsets(List.of(first)).get(first) + " " + consumer.endOffsets(List.of(first)).get(first));
      report("for a time", consumer.offsetsForTimes(Map.of(first, 1_700_000_000_100L)).get(first).offset());
      report("for a later time", String.valueOf(consumer.offsetsForTimes(Map.of(first, 1_900_000_000_000L)).get(first)));
      report("partitions", consumer.partitionsFor(name("orders")).size());
      consumer.assign(List.of(first, partition("orders", 1)));
      consumer.seek(first, 100);
      consumer.pause(List.of(partition("orders", 1)));
      report("after a seek", next(consumer).offset());
    }
    try (Consumer<String, String> consumer = consumer(Map.of("auto.offset.reset", "none"))) {
      consumer.assign(List.of(first));
      consumer.seek(first, 99_999);
      report("out of range", thrown(() -> { for (;;) consumer.poll(POLL); }));
    }
    try (Consumer<String, String> consumer = consumer(Map.of("max.partition.fetch.bytes", "100", "fetch.max.bytes", "100", "max.poll.records", "7"))) {
      consumer.assign(List.of(first));
      consumer.seekToBeginning(List.of(first));
      int count = 0;
      while (count < 250) count += consumer.poll(POLL).count();
      report("in small fetches", count);
    }
    report("admin offsets", admin.listOffsets(Map.of(first, OffsetSpec.latest())).all().get().get(first).offset()
        + " " + admin.listOffsets(Map.of(first, OffsetSpec.earliest())).all().get().get(first).offset());
  }

  private static void rebalance(Admin admin, String assignor) throws Exception {
    String group = name("group-" + assignor.substring(assignor.lastIndexOf('.') + 1));
    Map<String, Object> own = Map.of("group.id", group, "partition.assignment.strategy", assignor, "heartbeat.interval.ms", "200");
    List<String> seen = new ArrayList<>();
    List<String> events = new ArrayList<>();
    try (Consumer<String, String> one = consumer(own)) {
      one.subscribe(Pattern.compile(Pattern.quote(name("orders"))), listener(events));
      while (seen.size() < 1000) one.poll(POLL).forEach(each -> seen.add(text(each)));
      one.commitSync();
      report("one has", one.assignment().size());
      try (Consumer<String, String> two = consumer(own)) {
        two.subscribe(List.of(name("orders")), listener(events));
        until("both have partitions", () -> {
          one.poll(POLL).forEach(each -> seen.add(text(each)));
          two.poll(POLL).forEach(each -> seen.add(text(each)));
          return one.assignment().size() == 2 && two.assignment().size() == 2;
        });
        Set<TopicPartition> all = new TreeSet<>((a, b) -> a.partition() - b.partition());
        all.addAll(one.assignment());
        all.addAll(two.assignment());
        report("together", all.size());
        ConsumerGroupDescription described = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
        report("described", described.state() + " " + described.members().size() + " " + described.partitionAssignor());
      }
      until("one has all again", () -> {
        one.poll(POLL).forEach(each -> seen.add(text(each)));
        return one.assignment().size() == 4;
      });
    }
    Collections.sort(seen);
    report("each record once", seen.size() + " " + seen.hashCode());
    report("events of partitions were seen", !events.isEmpty());
  }

  private static ConsumerRebalanceListener listener(List<String> events) {
    return new ConsumerRebalanceListener() {
      @Override public void onPartitionsRevoked(Collection<TopicPartition> partitions) { events.add("revoked " + partitions); }
      @Override public void onPartitionsAssigned(Collection<TopicPartition> partitions) { events.add("assigned " + partitions); }
    };
  }

  private static void staticMember(Admin admin) throws Exception {
    String group = name("static");
    Map<String, Object> own = Map.of("group.id", group, "group.instance.id", "instance");
    int generation = -1;
    for (int run = 0; run < 2; run++) {
      try (Consumer<String, String> consumer = consumer(own)) {
        consumer.subscribe(List.of(name("orders")));
        until("assigned", () -> { consumer.poll(POLL); return consumer.assignment().size() == 4; });
        int now = consumer.groupMetadata().generationId();
        if (run == 1) report("a restarted static member keeps its generation", now == generation);
        generation = now;
      }
    }
    report("static members stay", admin.describeConsumerGroups(List.of(group)).all().get().get(group).members().size());
    report("removed", outcome(admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions()).all()));
    report("then", admin.describeConsumerGroups(List.of(group)).all().get().get(group).members().size());
  }

  private static void groups(Admin admin) throws Exception {
    String group = name("committed");
    TopicPartition zero = partition("orders", 0);
    TopicPartition one = partition("orders", 1);
    report("alter offsets", outcome(admin.alterConsumerGroupOffsets(group, Map.of(zero, new OffsetAndMetadata(7, "note"), one, new OffsetAndMetadata(8))).all()));
    report("offsets", new TreeMap<>(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().entrySet().stream()
        .collect(Collectors.toMap(each -> each.getKey().partition(), each -> each.getValue().offset() + each.getValue().metadata()))));
    try (Consumer<String, String> consumer = consumer(Map.of("group.id", group))) {
      report("committed", String.valueOf(consumer.committed(Set.of(zero)).get(zero).offset()));
      consumer.subscribe(List.of(name("orders")));
      until("assigned", () -> { consumer.poll(POLL); return !consumer.assignment().isEmpty(); });
      report("delete while in use", outcome(admin.deleteConsumerGroups(List.of(group)).all()));
      report("delete offsets while in use", outcome(admin.deleteConsumerGroupOffsets(group, Set.of(zero)).all()));
    }
    report("delete offsets", outcome(admin.deleteConsumerGroupOffsets(group, Set.of(zero)).all()));
    report("is listed", admin.listConsumerGroups().all().get().stream().anyMatch(each -> each.groupId().equals(group)));
    report("delete", outcome(admin.deleteConsumerGroups(List.of(group)).all()));
    report("delete again", outcome(admin.deleteConsumerGroups(List.of(group)).all()));
  }

  private static void transactions(Admin admin) throws Exception {
    report("create", outcome(admin.createTopics(List.of(new NewTopic(name("payments"), 2, (short) 1))).all()));
    String group = name("copies");
    Map<String, Object> own = Map.of("transactional.id", name("copier"), "transaction.timeout.ms", "60000");
    Producer<String, String> producer = producer(own);
    producer.initTransactions();
    for (int round = 0; round < 6; round++) {
      producer.beginTransaction();
      for (int i = 0; i < 20; i++) producer.send(new ProducerRecord<>(name("payments"), i % 2, "k", "round " + round + " " + i));
      if (round % 2 == 0) {
        producer.sendOffsetsToTransaction(Map.of(partition("orders", 0), new OffsetAndMetadata(10 + round)), new org.apache.kafka.clients.consumer.ConsumerGroupMetadata(group));
        producer.commitTransaction();
      } else {
        producer.flush();
        producer.abortTransaction();
      }
    }
    report("committed", digest(read("payments", "read_committed", 60)));
    report("all", digest(read("payments", "read_uncommitted", 120)));
    report("offsets of the transaction", admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().get(partition("orders", 0)).offset());

    producer.beginTransaction();
    producer.send(new ProducerRecord<>(name("payments"), 0, "k", "open")).get();
    try (Consumer<String, String> consumer = consumer(Map.of("isolation.level", "read_committed"))) {
      TopicPartition first = partition("payments", 0);
      consumer.assign(List.of(first));
      report("stable end", consumer.endOffsets(List.of(first)).get(first));
    }
    try (Consumer<String, String> consumer = consumer(Map.of())) {
      TopicPartition first = partition("payments", 0);
      report("end", consumer.endOffsets(List.of(first)).get(first));
    }
    Producer<String, String> other = producer(own);
    other.initTransactions();
    report("the first is fenced", thrown(() -> {
      producer.send(new ProducerRecord<>(name("payments"), 0, "k", "late"));
      producer.commitTransaction();
    }));
    other.beginTransaction();
    other.send(new ProducerRecord<>(name("payments"), 0, "k", "after"));
    other.commitTransaction();
    report("committed", digest(read("payments", "read_committed", 61)));
    other.close();
    producer.close(Duration.ZERO);
  }

  private static void largeRecords(Admin admin) throws Exception {
    NewTopic small = new NewTopic(name("small"), 1, (short) 1).configs(Map.of("max.message.bytes", "1000"));
    report("create", outcome(admin.createTopics(List.of(small)).all()));
    try (Producer<String, String> producer = producer(Map.of())) {
      report("too large", thrown(() -> producer.send(new ProducerRecord<>(name("small"), "k", "x".repeat(2000))).get()));
      // One batch, which the producer has to split. That of 2.8 never ends with it, with Kafka neither.
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < (isOld() ? 5 : 50); i++) sent.add(producer.send(new ProducerRecord<>(name("small"), 0, "k", "y".repeat(100))));
      producer.flush();
      for (Future<RecordMetadata> each : sent) each.get();
      report("split", read("small", "read_uncommitted", sent.size()).size());
    }
    NewTopic compacted = new NewTopic(name("compacted"), 1, (short) 1).configs(Map.of("cleanup.policy", "compact"));
    report("create", outcome(admin.createTopics(List.of(compacted)).all()));
    try (Producer<String, String> producer = producer(Map.of())) {
      report("without a key", thrown(() -> producer.send(new ProducerRecord<>(name("compacted"), null, "v")).get()));
    }
    try (Producer<String, String> producer = producer(Map.of("max.block.ms", "30000"))) {
      producer.send(new ProducerRecord<>(name("made-by-use"), "k", "v")).get();
    }
    report("made by use", partitions(admin, "made-by-use"));
  }

  private static void deletions(Admin admin) throws Exception {
    TopicPartition first = partition("orders", 0);
    report("delete records", admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(40))).lowWatermarks().get(first).get().lowWatermark());
    report("too many", outcome(admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(99_999))).all()));
    try (Consumer<String, String> consumer = consumer(Map.of())) {
      consumer.assign(List.of(first));
      consumer.seekToBeginning(List.of(first));
      report("the first now", next(consumer).offset());
    }
    report("delete", outcome(admin.deleteTopics(List.of(name("standard"))).all()));
    report("delete again", outcome(admin.deleteTopics(List.of(name("standard"))).all()));
    until("it is not listed", () -> !admin.listTopics().names().get().contains(name("standard")));
    report("list", own(admin.listTopics().names().get()));
    List<String> rest = own(admin.listTopics().names().get()).stream().map(ClientWork::name).collect(Collectors.toList());
    report("delete the others", outcome(admin.deleteTopics(rest).all()));
  }

  // Helpers.

  private static String name(String topic) {
    return prefix + topic;
  }

  private static TopicPartition partition(String topic, int index) {
    return new TopicPartition(name(topic), index);
  }

  private static List<String> own(Set<String> names) {
    return names.stream().filter(each -> each.startsWith(prefix)).map(each -> each.substring(prefix.length())).sorted().collect(Collectors.toList());
  }

  private static Producer<String, String> producer(Map<String, Object> own) {
    Map<String, Object> all = new HashMap<>(COMMON);
    all.putAll(own);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private static Consumer<String, String> consumer(Map<String, Object> own) {
    Map<String, Object> all = new HashMap<>(COMMON);
    all.putAll(Map.of("auto.offset.reset", "earliest", "enable.auto.commit", "false"));
    all.putAll(own);
    return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
  }

  /** The first `count` records of all partitions, and a short wait for one too many. */
  private static List<String> read(String topic, String isolation, int count) throws Exception {
    List<String> found = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(Map.of("isolation.level", isolation))) {
      List<TopicPartition> all = consumer.partitionsFor(name(topic)).stream()
          .map(each -> new TopicPartition(each.topic(), each.partition())).collect(Collectors.toList());
      consumer.assign(all);
      consumer.seekToBeginning(all);
      until(count + " records of " + topic, () -> {
        consumer.poll(POLL).forEach(each -> found.add(text(each)));
        return found.size() >= count;
      });
      consumer.poll(Duration.ofMillis(300)).forEach(each -> found.add(text(each)));
    }
    Collections.sort(found);
    return found;
  }

  private static String digest(List<String> lines) {
    return lines.size() + " " + lines.hashCode() + " " + lines.get(0) + " … " + lines.get(lines.size() - 1);
  }

  private static ConsumerRecord<String, String> next(Consumer<String, String> consumer) {
    for (;;) {
      for (ConsumerRecord<String, String> each : consumer.poll(POLL)) return each;
    }
  }

  private static String text(ConsumerRecord<String, String> record) {
    StringBuilder headers = new StringBuilder();
    record.headers().forEach(each -> headers.append(each.key()).append('=').append(each.value() == null ? "null" : new String(each.value(), StandardCharsets.UTF_8)).append(';'));
    // Times that the test does not set are those of the clock.
    String time = record.timestamp() < 1_750_000_000_000L ? String.valueOf(record.timestamp()) : "now";
    return record.partition() + "/" + record.offset() + " " + time + " " + record.key() + " " + record.value() + " " + headers;
  }

  private interface Check { boolean holds() throws Exception; }

  private static void until(String fact, Check check) throws Exception {
    long end = System.currentTimeMillis() + PATIENCE_MS;
    while (!check.holds()) {
      if (System.currentTimeMillis() > end) throw new IllegalStateException("not seen: " + fact);
      Thread.sleep(10);
    }
  }

  private interface Work { void run() throws Exception; }

  private static String thrown(Work work) {
    try {
      work.run();
      return "done";
    } catch (ExecutionException e) {
      return e.getCause().getClass().getSimpleName();
    } catch (Exception e) {
      return e.getClass().getSimpleName();
    }
  }

  private static String outcome(KafkaFuture<?> future) {
    return thrown(future::get);
  }

  private static void report(String what, Object found) {
    System.out.println(what + ": " + String.valueOf(found).replace(prefix, ""));
  }
}
