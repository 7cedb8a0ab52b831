// Works with a broker through franz-go and prints what it observes. The caller compares the lines of two brokers.
//
//	go run . HOST:PORT PREFIX
package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var (
	server, prefix string
	ctx            context.Context
)

func main() {
	server, prefix = os.Args[1], os.Args[2]
	limited, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	ctx = limited

	client := newClient()
	defer client.Close()
	admin := kadm.NewClient(client)
	topics(admin)
	produce()
	readInGroup(admin)
	transactions(admin)
	groups(admin)
	remove(admin)
}

func topics(admin *kadm.Client) {
	retention := "86400000"
	_, err := admin.CreateTopic(ctx, 3, 1, map[string]*string{"retention.ms": &retention}, name("orders"))
	report("create", outcome(err))
	_, err = admin.CreateTopic(ctx, 3, 1, nil, name("orders"))
	report("create again", outcome(err))
	added, err := admin.CreatePartitions(ctx, 1, name("orders"))
	report("more partitions", outcome(first(err, added.Error())))
	until("four partitions", func() bool {
		listed, err := admin.ListTopics(ctx, name("orders"))
		return err == nil && len(listed[name("orders")].Partitions) == 4
	})
	// The records of this program are years old.
	value := "-1"
	altered, err := admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &value}}, name("orders"))
	must(err)
	report("alter", outcome(altered[0].Err))
	until("the setting is seen", func() bool {
		described, err := admin.DescribeTopicConfigs(ctx, name("orders"))
		if err != nil {
			return false
		}
		for _, each := range described[0].Configs {
			if each.Key == "retention.ms" {
				return each.MaybeValue() == value
			}
		}
		return false
	})
	metadata, err := admin.BrokerMetadata(ctx)
	must(err)
	report("brokers", len(metadata.Brokers))
	_, err = admin.DescribeACLs(ctx, kadm.NewACLs().AnyResource().Allow().AllowHosts().Operations().ResourcePatternType(kadm.ACLPatternAny))
	report("acls", outcome(err))
}

func produce() {
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		client := newClient(kgo.ProducerBatchCompression(codecs[codec]), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		records := make([]*kgo.Record, 200)
		for i := range records {
			records[i] = &kgo.Record{
				Topic: name("orders"), Partition: int32(i % 4), Key: fmt.Appendf(nil, "key%d", i), Value: fmt.Appendf(nil, "%s %d", codec, i),
				Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("header")}}, Timestamp: time.UnixMilli(1_700_000_000_000 + int64(i)),
			}
		}
		must(client.ProduceSync(ctx, records...).FirstErr())
		last := int64(-1)
		for _, each := range records {
			last = max(last, each.Offset)
		}
		report("last offset with "+codec, last)
		client.Close()
	}
	report("read", digest(read("orders", kgo.ReadUncommitted(), 1000)))
}

func readInGroup(admin *kadm.Client) {
	join := func() *kgo.Client {
		return newClient(kgo.ConsumerGroup(name("readers")), kgo.ConsumeTopics(name("orders")), kgo.HeartbeatInterval(200*time.Millisecond),
			kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())
	}
	one := join()
	seen := []string{}
	for len(seen) < 1000 {
		seen = append(seen, poll(one)...)
	}
	must(one.CommitUncommittedOffsets(ctx))
	two := join()
	until("both members have partitions", func() bool {
		seen = append(seen, poll(one)...)
		seen = append(seen, poll(two)...)
		described, err := admin.DescribeGroups(ctx, name("readers"))
		if err != nil || described[name("readers")].State != "Stable" {
			return false
		}
		return partitions(described, 0) == 2 && partitions(described, 1) == 2
	})
	two.Close()
	until("the first has all again", func() bool {
		seen = append(seen, poll(one)...)
		described, err := admin.DescribeGroups(ctx, name("readers"))
		return err == nil && described[name("readers")].State == "Stable" && partitions(described, 0) == 4
	})
	one.Close()
	report("each record once", digest(seen))
	lags, err := admin.Lag(ctx, name("readers"))
	must(err)
	report("lag", lags[name("readers")].Lag.Total())
}

func partitions(described kadm.DescribedGroups, member int) int {
	members := described[name("readers")].Members
	if member >= len(members) {
		return 0
	}
	assigned, isConsumer := members[member].Assigned.AsConsumer()
	if !isConsumer || len(assigned.Topics) == 0 {
		return 0
	}
	return len(assigned.Topics[0].Partitions)
}

func transactions(admin *kadm.Client) {
	_, err := admin.CreateTopic(ctx, 2, 1, nil, name("copies"))
	report("create", outcome(err))
	// Reads a topic in a group and writes what it read, with its offsets in the same transactions.
	session, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(server), kgo.TransactionalID(name("copier")), kgo.ConsumerGroup(name("copiers")),
		kgo.ConsumeTopics(name("orders")), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.RequireStableFetchOffsets())
	must(err)
	copied, aborts := 0, 0
	for copied < 1000 {
		fetches := session.PollRecords(ctx, 100)
		must(fetches.Err0())
		if fetches.NumRecords() == 0 {
			continue
		}
		must(session.Begin())
		fetches.EachRecord(func(each *kgo.Record) {
			session.Produce(ctx, &kgo.Record{Topic: name("copies"), Partition: each.Partition % 2, Key: each.Key, Value: each.Value}, nil)
		})
		// Otherwise an abort drops what is not sent yet.
		must(session.Client().Flush(ctx))
		// The second one is aborted: its records are read again.
		isCommit := copied == 0 || aborts > 0
		committed, err := session.End(ctx, kgo.TransactionEndTry(isCommit))
		must(err)
		if committed {
			copied += fetches.NumRecords()
		} else {
			aborts++
		}
	}
	session.Close()
	values := map[string]bool{}
	committed := read("copies", kgo.ReadCommitted(), 1000)
	for _, each := range committed {
		values[strings.SplitN(each, " ", 3)[2]] = true
	}
	report("copied", fmt.Sprint(len(committed), " ", len(values), " aborts ", aborts))
	report("also with aborted ones", len(read("copies", kgo.ReadUncommitted(), 1001)) > 1000)
	described, err := admin.DescribeTransactions(ctx, name("copier"))
	must(err)
	report("state", described[name("copier")].State)

	open := newClient(kgo.TransactionalID(name("open")), kgo.DefaultProduceTopic(name("copies")))
	must(open.BeginTransaction())
	must(open.ProduceSync(ctx, kgo.StringRecord("open")).FirstErr())
	next := newClient(kgo.TransactionalID(name("open")), kgo.DefaultProduceTopic(name("copies")))
	must(next.BeginTransaction())
	must(next.ProduceSync(ctx, kgo.StringRecord("next")).FirstErr())
	err = first(open.ProduceSync(ctx, kgo.StringRecord("late")).FirstErr(), open.EndTransaction(ctx, kgo.TryCommit))
	report("the first is fenced", errors.Is(err, kerr.ProducerFenced) || errors.Is(err, kerr.InvalidProducerEpoch))
	must(next.EndTransaction(ctx, kgo.TryCommit))
	report("committed", len(read("copies", kgo.ReadCommitted(), 1001)))
	open.Close()
	next.Close()
}

func groups(admin *kadm.Client) {
	offsets := kadm.Offsets{}
	offsets.AddOffset(name("orders"), 0, 7, -1)
	offsets.AddOffset(name("orders"), 1, 8, -1)
	must(admin.CommitAllOffsets(ctx, name("idle"), offsets))
	fetched, err := admin.FetchOffsets(ctx, name("idle"))
	must(err)
	found := []string{}
	fetched.Each(func(each kadm.OffsetResponse) { found = append(found, fmt.Sprint(each.Partition, "=", each.At)) })
	sort.Strings(found)
	report("offsets", found)
	listed, err := admin.ListGroups(ctx)
	must(err)
	_, isListed := listed[name("idle")]
	report("is listed", isListed)
	deleted, err := admin.DeleteOffsets(ctx, name("idle"), offsets.TopicsSet())
	must(err)
	report("delete offsets", outcome(deleted.Error()))
	for _, group := range []string{"readers", "copiers", "missing"} {
		_, err := admin.DeleteGroup(ctx, name(group))
		report("delete "+group, outcome(err))
	}
}

func remove(admin *kadm.Client) {
	before := kadm.Offsets{}
	before.AddOffset(name("orders"), 0, 40, -1)
	deleted, err := admin.DeleteRecords(ctx, before)
	must(err)
	low := int64(-1)
	deleted.Each(func(each kadm.DeleteRecordsResponse) { low = each.LowWatermark })
	report("delete records", low)
	starts, err := admin.ListStartOffsets(ctx, name("orders"))
	must(err)
	start, _ := starts.Lookup(name("orders"), 0)
	report("start", start.Offset)
	after, err := admin.ListOffsetsAfterMilli(ctx, 1_700_000_000_100, name("orders"))
	must(err)
	at, _ := after.Lookup(name("orders"), 1)
	report("after a time", fmt.Sprint(at.Offset, " ", at.Timestamp))
	for _, topic := range []string{"orders", "copies", "missing"} {
		_, err := admin.DeleteTopic(ctx, name(topic))
		report("delete "+topic, outcome(err))
	}
}

// Helpers.

func newClient(options ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(server)}, options...)...)
	must(err)
	return client
}

// The first records of a topic, with a short wait for one too many.
func read(topic string, level kgo.IsolationLevel, count int) []string {
	client := newClient(kgo.ConsumeTopics(name(topic)), kgo.FetchIsolationLevel(level), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	defer client.Close()
	found := []string{}
	for len(found) < count {
		found = append(found, poll(client)...)
	}
	return append(found, poll(client)...)
}

func poll(client *kgo.Client) []string {
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	found := []string{}
	client.PollFetches(short).EachRecord(func(each *kgo.Record) {
		found = append(found, fmt.Sprint(each.Partition, "/", each.Offset, " ", string(each.Key), " ", string(each.Value)))
	})
	must(ctx.Err())
	return found
}

func digest(lines []string) string {
	sort.Strings(lines)
	hash := fnv.New64()
	hash.Write([]byte(strings.Join(lines, "\n")))
	return fmt.Sprint(len(lines), " ", hash.Sum64())
}

func until(fact string, holds func() bool) {
	for !holds() {
		if ctx.Err() != nil {
			log.Fatalf("not seen: %s", fact)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func outcome(err error) string {
	var kafka *kerr.Error
	if errors.As(err, &kafka) {
		return kafka.Message
	}
	if err != nil {
		return err.Error()
	}
	return "done"
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func name(topic string) string { return prefix + topic }

func report(what string, found any) {
	fmt.Println(strings.ReplaceAll(fmt.Sprintf("%s: %v", what, found), prefix, ""))
}
